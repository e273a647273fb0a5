// The text of a document: what is no YAML, or no document at all.
import { describe, expect, test } from 'bun:test';
import { readDocument } from '../../src/catalog/read-document.ts';
import { faultPaths, faultsOf, plainDocument } from '../support/plain-document.ts';

const SAMPLE = `
channels:
  - name: openai-main              # what x-svc-channel says
    kind: openai
    base_url: https://api.openai.com/v1
    anthropic_base_url: null       # a channel that speaks both: the client's own dialect is preferred
    endpoints: [chat, responses, embeddings, images]
    api_key: env:OPENAI_API_KEY    # env:NAME, file:PATH, or a literal
    quirks: openai
    prefill: false
    drain_on_abort: false
    timeouts: {connect_ms: 2000, first_token_ms: 60000, idle_ms: 60000, total_ms: 600000}
  - {name: demo, kind: demo}
models:
  - id: gpt-5-mini
    name: GPT-5 mini
    aliases: [claude-gpt-5-mini]
    kinds: [chat]
    context_tokens: 400000
    max_output_tokens: 128000
    price: {input: 8.125, cached_input: 0.813, output: 65}
    routes:
      - {channel: openai-main, model: gpt-5-mini-2026-03, priority: 1, weight: 1}
    fallbacks: [gpt-5-nano]
  - id: gpt-5-nano
    price: {input: 1.625, output: 13}
    routes: [{channel: openai-main, model: gpt-5-nano-2026-03, prefill: true, first_token_ms: 5000}]
  - id: auto:free
    kinds: [chat]
    price: free
    routes: [{channel: demo, model: demo}]
limits: {free_per_minute: 6, free_per_day_zero: 100, free_per_day_positive: 300, register_per_ip: 3, register_per_day: 200,
         paid_per_minute: 600, in_flight: 32}
guards: {}
`;

test('the sample of the manual is valid', () => {
  expect(faultsOf(SAMPLE)).toEqual([]);
});

test('what a document leaves out has the values of the manual', () => {
  const read = readDocument(JSON.stringify(plainDocument()));
  if (!read.ok) throw new Error('the plain document is valid');
  expect(read.document.limits).toEqual({
    free_per_minute: 6,
    free_per_day_zero: 100,
    free_per_day_positive: 300,
    register_per_ip: 3,
    register_per_day: 200,
    paid_per_minute: 600,
    in_flight: 32,
  });
  expect(read.document.channels[0]).toMatchObject({
    prefill: false,
    drain_on_abort: false,
    timeouts: { connect_ms: 2_000, first_token_ms: 'auto', idle_ms: 60_000, total_ms: 600_000 },
  });
  expect(read.document.models[0]).toMatchObject({ kinds: ['chat'], aliases: [], fallbacks: [] });
  expect(read.document.models[0]?.routes[0]).toMatchObject({ priority: 1, weight: 1 });
});

describe('YAML that cannot be read', () => {
  test.each([
    ['a duplicate key', 'channels: []\nmodels: []\nchannels: []', 3, 'appears twice'],
    ['a duplicate field of JSON', '{"channels":[],"models":[],"channels":[]}', 1, 'appears twice'],
    ['a duplicate price', 'models:\n  - price:\n      input: 1\n      input: 2\n', 4, 'appears twice'],
    ['an open bracket', 'channels: [\n', 2, 'a bracket is not closed'],
    ['an open quote', 'channels: "a\n', 2, 'a quote'],
    ['a tab for indent', 'channels:\n\t- name: demo', 2, 'use spaces'],
    [
      'a line that stands too far left',
      'channels:\n  - name: demo\n    kind: demo\n   base_url: x\n',
      4,
      'indentation',
    ],
    ['a second colon', 'channels: a: b', 1, 'a second ": "'],
    ['a reserved character', 'channels: @demo', 1, 'in quotes'],
    ['two documents', 'channels: []\n---\nmodels: []', 2, 'a second document'],
  ])('%s is told by its line, with a plain reason', (_, text, line, reason) => {
    const faults = faultsOf(text);
    expect(faults.length).toBeGreaterThan(0);
    expect(faults.filter((fault) => fault.startsWith(`line ${line}: not valid YAML: `)).join()).toContain(reason);
  });

  test('nothing of its text is repeated, for it may hold secrets', () => {
    const text = 'channels:\n  - api_key: sk-fake-secret\n   name: [sk-fake-secret\n';
    expect(faultsOf(text).length).toBeGreaterThan(0);
    expect(faultsOf(text).join()).not.toContain('sk-fake');
  });

  test('nesting without end is refused, not followed', () => {
    expect(faultPaths('['.repeat(50_000))).not.toEqual([]);
    expect(faultPaths('{a: '.repeat(50_000))).not.toEqual([]);
  });
});

describe('YAML that is no document', () => {
  test.each(['', '   \n', '# only a comment\n', 'null', '~', '---\n'])('%j is empty', (text) => {
    expect(faultsOf(text)).toEqual(['the document is empty: it needs channels and models']);
  });

  test('{} lacks both', () => {
    expect(faultsOf('{}')).toEqual(['channels: must be a list', 'models: must be a list']);
  });

  test.each(['- a\n- b', '[]', 'hello', '42', 'true', '"channels: []"'])('%j is told as a whole', (text) => {
    expect(faultsOf(text)).toEqual(['the document must be a table of fields, with channels and models']);
  });
});

describe('aliases', () => {
  test('may be used', () => {
    expect(
      faultsOf(`
channels:
  - {name: a, kind: demo, timeouts: &slow {idle_ms: 90000}}
  - {name: b, kind: demo, timeouts: *slow}
models: [{id: auto:free, price: free, routes: [{channel: a, model: demo}, {channel: b, model: demo}]}]`),
    ).toEqual([]);
  });

  test('that multiply are refused, not expanded', () => {
    const levels = Array.from({ length: 30 }, (_, at) => {
      const below = at === 0 ? 'x' : `*l${at - 1}`;
      return `l${at}: &l${at} [${Array.from({ length: 10 }, () => below).join(', ')}]`;
    });
    expect(faultPaths(levels.join('\n'))).toEqual(['document']);
  });

  test('without an anchor, and those that contain themselves, are refused', () => {
    expect(faultPaths('channels: *nowhere\nmodels: []')).toEqual(['document']);
    expect(faultPaths('channels: &c [*c]\nmodels: &m {a: *m}').length).toBeGreaterThan(0);
  });
});
