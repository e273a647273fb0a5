import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildCatalog } from '../../src/catalog/catalog.ts';
import { defaultDocument, type ProviderSettings, unusedProviders } from '../../src/catalog/default-document.ts';
import { publicCatalog } from '../../src/catalog/public-catalog.ts';
import { readDocument } from '../../src/catalog/read-document.ts';
import { ANTHROPIC_MODELS, GEMINI_MODELS, OPENAI_MODELS, SOURCES_DATE } from '../../src/vendors/known-models.ts';
import { OPENAI_MEDIA_MODELS } from '../../src/vendors/openai-media-models.ts';
import type { Answer } from '../support/answer.ts';

const NONE: ProviderSettings = {
  openaiApiKey: false,
  anthropicApiKey: false,
  geminiApiKey: false,
  openrouterApiKey: false,
  ollamaBaseUrl: undefined,
};
const ALL: ProviderSettings = {
  openaiApiKey: true,
  anthropicApiKey: true,
  geminiApiKey: true,
  openrouterApiKey: true,
  ollamaBaseUrl: 'http://127.0.0.1:11434',
};

const READ_AT = Date.parse(SOURCES_DATE);

function catalogOf(settings: ProviderSettings, at = READ_AT) {
  const read = readDocument(JSON.stringify(defaultDocument(settings)));
  if (!read.ok) throw new Error(read.faults.map(({ path, message }) => `${path}: ${message}`).join());
  return buildCatalog(read.document, 1, 0, { at });
}

test('without any provider: the demo channel, auto:free and a small paid model on it', () => {
  const catalog = catalogOf(NONE);
  expect([...catalog.channels.keys()]).toEqual(['demo']);
  expect(catalog.channels.get('demo')?.kind).toBe('demo');
  expect(catalog.models.map(({ id, free }) => [id, free])).toEqual([
    ['auto:free', true],
    ['demo-small', false],
  ]);
});

describe.each([
  ['openaiApiKey', true, ['openai'], 'env:OPENAI_API_KEY', 'gpt-6.1-terra'],
  ['anthropicApiKey', true, ['anthropic'], 'env:ANTHROPIC_API_KEY', 'claude-haiku-5-5'],
  ['geminiApiKey', true, ['gemini'], 'env:GEMINI_API_KEY', 'gemini-3.8-flash'],
  ['openrouterApiKey', true, ['openrouter'], 'env:OPENROUTER_API_KEY', 'deepseek-v3'],
  ['ollamaBaseUrl', 'http://127.0.0.1:11434', ['ollama'], undefined, 'llama3.2'],
] as const)('with %s', (setting, value, channels, apiKey, model) => {
  const catalog = catalogOf({ ...NONE, [setting]: value });

  test('its channels are added, with a reference to the key and never the key', () => {
    expect([...catalog.channels.keys()]).toEqual(['demo', ...channels]);
    for (const channel of channels) expect(catalog.channels.get(channel)?.apiKey).toBe(apiKey);
  });

  test('a well-known model is served by them', () => {
    expect(catalog.find(model)?.routes.map((route) => route.channel.name)).toEqual([...channels]);
  });

  test('auto:free and the demo stay', () => {
    expect(catalog.find('auto:free')?.free).toBe(true);
    expect(catalog.find('demo-small')?.free).toBe(false);
  });
});

test('all providers together make a valid document', () => {
  expect([...catalogOf(ALL).channels.keys()]).toEqual([
    'demo',
    'openai',
    'anthropic',
    'gemini',
    'openrouter',
    'ollama',
  ]);
});

test('a model that two providers sell is served by its maker, or by the other if that is the only one', () => {
  const channelOf = (settings: ProviderSettings) => {
    const routes = catalogOf(settings).find('gpt-6.1-terra')?.routes ?? [];
    return routes.map(({ channel, model }) => `${channel.name} ${model}`);
  };
  expect(channelOf(ALL)).toEqual(['openai gpt-6.1-terra']);
  expect(channelOf({ ...NONE, openrouterApiKey: true })).toEqual(['openrouter openai/gpt-6.1-terra']);
});

test.each([
  'http://127.0.0.1:11434',
  'http://127.0.0.1:11434/',
  'http://127.0.0.1:11434/v1',
  'http://127.0.0.1:11434/v1/',
])('Ollama at %s is asked below /v1', (ollamaBaseUrl) => {
  expect(catalogOf({ ...NONE, ollamaBaseUrl }).channels.get('ollama')?.baseUrl).toBe('http://127.0.0.1:11434/v1');
});

test('the same settings give the same text, so that a restart sees no change', () => {
  expect(JSON.stringify(defaultDocument(ALL))).toBe(JSON.stringify(defaultDocument({ ...ALL })));
});

test.each([
  ['anthropicApiKey', 'claude-haiku-5-5'],
  ['geminiApiKey', 'gemini-3.8-flash'],
] as const)('with %s, its models serve clients of every format', (setting, id) => {
  const { data } = publicCatalog(catalogOf({ ...NONE, [setting]: true })) as Answer;
  const served = data.find((model: Answer) => model.id === id);
  expect(served.endpoints).toEqual([
    '/v1/chat/completions',
    '/v1/responses',
    '/v1/messages',
    `/v1beta/models/${id}:generateContent`,
  ]);
});

test('a variable is unused if no channel has its key, or the address that it is', () => {
  const channelsOf = (settings: ProviderSettings) => [...catalogOf(settings).channels.values()];
  expect(unusedProviders(ALL, channelsOf(ALL))).toEqual([]);
  expect(unusedProviders(NONE, channelsOf(ALL))).toEqual([]);
  expect(unusedProviders(ALL, channelsOf(NONE))).toEqual([
    'OPENAI_API_KEY',
    'ANTHROPIC_API_KEY',
    'GEMINI_API_KEY',
    'OPENROUTER_API_KEY',
    'OLLAMA_BASE_URL',
  ]);
  const moved = { ...NONE, ollamaBaseUrl: 'http://127.0.0.1:9' };
  expect(unusedProviders(moved, channelsOf(ALL))).toEqual(['OLLAMA_BASE_URL']);
  const renamed = channelsOf(ALL).map((channel) => ({
    ...channel,
    name: `my-${channel.name}`,
    baseUrl: 'http://other',
  }));
  expect(unusedProviders({ ...ALL, ollamaBaseUrl: undefined }, renamed)).toEqual([]);
});

describe('facts of vendors', () => {
  const KNOWN = [...OPENAI_MODELS, ...OPENAI_MEDIA_MODELS, ...ANTHROPIC_MODELS, ...GEMINI_MODELS];

  test.each(KNOWN.map((model) => [model.id, model] as const))('%s names where they were read', (_, { sources }) => {
    expect(sources.length).toBeGreaterThan(0);
    for (const source of sources) expect(new URL(source).protocol).toBe('https:');
  });

  test('a model that its vendor shuts down has a date, and a successor without one', () => {
    const dated = KNOWN.filter(({ retiresAt }) => retiresAt !== undefined);
    expect(dated.map(({ id, retiresAt }) => `${id} ${retiresAt}`)).toEqual([
      'gpt-5 2026-12-11',
      'gpt-5-mini 2026-12-11',
      'gpt-5-nano 2026-12-11',
      'claude-sonnet-4-5 2026-11-30',
      'gemini-2.5-flash 2026-10-16',
      'gemini-2.5-pro 2026-10-16',
    ]);
    for (const { replacedBy } of dated) {
      const successor = KNOWN.find(({ id }) => id === replacedBy);
      expect(successor?.id).toBe(replacedBy);
      expect(successor?.retiresAt).toBeUndefined();
    }
  });

  test.each(['docs/configuration.md', 'docs/zh-TW/configuration.md'])('%s names every model and date', (file) => {
    const text = readFileSync(join(import.meta.dir, '../..', file), 'utf8');
    const rows = text.split('\n').filter((line) => /^\| `(OPENAI|ANTHROPIC|GEMINI)_API_KEY` \|/.test(line));
    expect(rows).toHaveLength(3);
    const named = rows.flatMap((row) => [...row.matchAll(/`([a-z0-9.-]+)`/g)].map(([, id]) => id));
    const ids = KNOWN.filter(({ usd }) => usd !== 'free').map(({ id }) => id);
    expect(named.filter((id) => id?.includes('-')).toSorted()).toEqual(ids.toSorted());
    for (const { retiresAt } of KNOWN) if (retiresAt) expect(rows.join('\n')).toContain(retiresAt);
    expect(text).toContain(SOURCES_DATE);
  });

  test('prices are at NT$32.5 to the dollar, rounded up to three decimals, also those of later', () => {
    const { find } = catalogOf(ALL);
    expect(find('gpt-5-mini')?.prices).toMatchObject({ input: 8_125n, cachedInput: 813n, output: 65_000n });
    expect(find('gemini-3.8-flash')?.prices).toMatchObject({ input: 24_375n, cachedInput: 2_438n, output: 121_875n });
    const { find: later } = catalogOf(ALL, Date.UTC(2027, 0, 1));
    expect(later('gemini-3.8-flash')?.prices).toMatchObject({ input: 48_750n, cachedInput: 4_875n, output: 243_750n });
    expect(later('gpt-5')).toBeUndefined();
    expect(find('whisper-1')?.prices.second).toBe(3_250_000n);
    expect(find('tts-1')?.prices.character).toBe(487_500n);
  });

  test('a model that its vendor does not charge is left out', () => {
    expect(catalogOf(ALL).find('omni-moderation-latest')).toBeUndefined();
    expect(catalogOf(ALL).find('whisper-1')?.kinds).toEqual(['transcription']);
  });
});
