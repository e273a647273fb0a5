// A new document whose models nobody could serve, with a key that opens nothing, or with an address that holds a secret or is
// never asked, is refused; one that is stored already goes on.
import { describe, expect, test } from 'bun:test';
import { buildCatalog } from '../../src/catalog/catalog.ts';
import { warnAddresses } from '../../src/catalog/check-new.ts';
import { printFault } from '../../src/catalog/fault-words.ts';
import { checkDocument, readDocument, readNewDocument } from '../../src/catalog/read-document.ts';
import type { Endpoint } from '../../src/vendors/endpoints.ts';
import { plainDocument } from '../support/plain-document.ts';

type Fields = Record<string, unknown>;

const URL = 'http://upstream.test';

function withKind(kind: string, channel: Fields): string {
  const document = plainDocument();
  document.channels.push({ name: 'other', base_url: URL, ...channel });
  document.models.push({ id: 'm', kinds: [kind], price: 'free', routes: [{ channel: 'other', model: 'm' }] });
  return JSON.stringify(document);
}

function faultsOfNew(text: string): string[] {
  const read = readNewDocument(text);
  return read.ok ? [] : read.faults.map(printFault);
}

const OPENAI = [
  ...['chat', 'responses', 'embeddings', 'images', 'image_edits', 'image_variations'],
  ...['speech', 'transcription', 'audio_translation', 'rerank', 'moderation'],
];

describe('a kind that no route can serve', () => {
  test.each([
    ['embeddings', { kind: 'anthropic' }],
    ['images', { kind: 'anthropic' }],
    ['embeddings', { kind: 'gemini' }],
    ['images', { kind: 'gemini' }],
    ['embeddings', { kind: 'demo' }],
    ['speech', { kind: 'anthropic' }],
    ['rerank', { kind: 'gemini' }],
    ['moderation', { kind: 'openai', endpoints: ['chat'] }],
    ['images', { kind: 'openai', endpoints: ['chat'] }],
  ])('%s on %j is told by its path', (kind, channel) => {
    expect(faultsOfNew(withKind(kind, channel))).toEqual([
      `models[2].kinds[0]: needs a route to a channel with ${kind}`,
    ]);
  });

  test('a chat where nobody chats', () => {
    expect(faultsOfNew(withKind('chat', { kind: 'openai', endpoints: ['images'] }))).toEqual([
      'models[2].kinds[0]: needs a route to a channel with chat, messages or responses',
    ]);
  });

  test.each([
    ['chat', { kind: 'anthropic' }],
    ['chat', { kind: 'gemini' }],
    ['chat', { kind: 'openai', endpoints: ['images'], anthropic_base_url: URL }],
    ['embeddings', { kind: 'openai' }],
    ['images', { kind: 'openai', endpoints: ['images'] }],
    ['speech', { kind: 'azure' }],
    ['transcription', { kind: 'openai' }],
    ['rerank', { kind: 'openai', endpoints: ['rerank'] }],
    ['moderation', { kind: 'openai' }],
  ])('%s on %j is fine', (kind, channel) => {
    expect(faultsOfNew(withKind(kind, channel))).toEqual([]);
  });

  test('one route of several is enough', () => {
    const document = plainDocument();
    const routes = ['demo', 'up'].map((channel) => ({ channel, model: 'm' }));
    document.models.push({ id: 'm', kinds: ['embeddings'], price: 'free', routes });
    expect(faultsOfNew(JSON.stringify(document))).toEqual([]);
  });
});

test.each([
  [{ kind: 'anthropic', endpoints: ['messages', 'embeddings'] }, 'a channel of kind anthropic has only messages'],
  [{ kind: 'demo', endpoints: ['chat', 'images'] }, 'a channel of kind demo has only chat, messages'],
  [
    { kind: 'openai', endpoints: ['chat', 'messages'] },
    `a channel of kind openai has only ${OPENAI.join(', ')}; messages needs anthropic_base_url`,
  ],
])('an endpoint that %j cannot have is told by its path', (channel, message) => {
  expect(faultsOfNew(withKind('chat', channel))).toEqual([`channels[2].endpoints[1]: ${message}`]);
});

describe('at Bedrock', () => {
  const HOST = 'https://bedrock-runtime.us-east-1.amazonaws.com';
  const routed = (model: string, host = HOST) => {
    const document = plainDocument();
    document.channels.push({ name: 'bedrock', kind: 'bedrock', base_url: host });
    const routes = [
      { channel: 'demo', model: 'demo' },
      { channel: 'bedrock', model },
    ];
    document.models.push({ id: 'm', price: 'free', routes });
    return JSON.stringify(document);
  };

  test.each([
    'amazon.nova-pro-v1:0',
    'us.amazon.nova-2-lite-v1:0',
    'arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.amazon.nova-lite-v1:0',
    'cohere.command-r-plus-v1:0',
    'ai21.jamba-1-5-large-v1:0',
  ])('%s has no format of ours, and the fault says what to do', (model) => {
    expect(faultsOfNew(routed(model))).toEqual([
      `models[2].routes[1].model: Bedrock serves ${model} only by Converse or InvokeModel, which the gateway does not call: remove the route, or choose a model that Bedrock serves by Chat Completions`,
    ]);
    expect(readDocument(routed(model))).toMatchObject({ ok: true });
  });

  test.each([
    'us.anthropic.claude-sonnet-4-5-20250929-v1:0',
    'openai.gpt-oss-120b-1:0',
    'global.openai.gpt-6-sol',
    'arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/a1b2c3d4e5f6',
  ])('%s is fine', (model) => {
    expect(faultsOfNew(routed(model))).toEqual([]);
  });

  test('the host bedrock-mantle needs the kind openai', () => {
    const told =
      'channels[2].base_url: bedrock-mantle has the OpenAI format: use kind openai, the address with /v1 at its end, and an API key of Bedrock';
    const mantle = 'https://bedrock-mantle.us-east-1.api.aws';
    expect(faultsOfNew(routed('openai.gpt-oss-120b', mantle))).toEqual([told]);
    expect(faultsOfNew(withKind('chat', { kind: 'openai', base_url: `${mantle}/v1` }))).toEqual([]);
  });
});

test('a revision that was stored before still serves', () => {
  expect(readDocument(withKind('embeddings', { kind: 'anthropic' }))).toMatchObject({ ok: true });
});

describe('an address with a secret in it', () => {
  const told = 'must have no user info (the part before "@"): put the key into api_key';

  test.each(['http://user:secret@upstream.test', 'http://secret@upstream.test/v1', 'http://:secret@upstream.test'])(
    '%s is refused, as it would be stored and exported as it is',
    (url) => {
      const both = withKind('chat', { kind: 'openai', base_url: url, anthropic_base_url: url });
      expect(faultsOfNew(both)).toEqual([`channels[2].base_url: ${told}`, `channels[2].anthropic_base_url: ${told}`]);
    },
  );

  test('is only warned of where it is stored already: it must not stop another edit', () => {
    const before = withKind('chat', { kind: 'openai', base_url: 'http://a:b@upstream.test' });
    const edited = withKind('chat', { kind: 'openai', base_url: 'http://a:b@upstream.test', enabled: false });
    const read = checkDocument(edited, before);
    expect(read.ok && warnAddresses(read.document.channels).map(({ path }) => path)).toEqual(['channels[2].base_url']);
    const changed = withKind('chat', { kind: 'openai', base_url: 'http://a:c@upstream.test' });
    expect(checkDocument(changed, before)).toMatchObject({ faults: [{ message: told }] });
    expect(checkDocument(before, withKind('chat', { kind: 'openai' }))).toMatchObject({ faults: [{ message: told }] });
  });

  test('an "@" elsewhere is none, and a stored document goes on', () => {
    expect(faultsOfNew(withKind('chat', { kind: 'openai', base_url: `${URL}/@team?to=a@b` }))).toEqual([]);
    expect(readDocument(withKind('chat', { kind: 'openai', base_url: 'http://a:b@upstream.test' })).ok).toBe(true);
  });
});

describe('a second address on a channel that asks only one', () => {
  const told = 'channels[2].anthropic_base_url: only a channel of kind openai may have it';
  const second = (kind: string, fields: Fields = {}) => withKind('chat', { kind, anthropic_base_url: URL, ...fields });

  test.each(['anthropic', 'gemini', 'demo'])('is refused for the kind %s', (kind) => {
    expect(faultsOfNew(second(kind))).toEqual([told]);
    expect(faultsOfNew(second(kind, { anthropic_base_url: null }))).toEqual([]);
  });

  test('is only warned of where it is stored already: it must not stop another edit', () => {
    const read = checkDocument(second('gemini', { enabled: false }), second('gemini'));
    expect(read.ok && warnAddresses(read.document.channels).map(({ path }) => path)).toEqual([
      'channels[2].anthropic_base_url',
    ]);
    expect(checkDocument(second('gemini'), second('openai'))).toMatchObject({ ok: false });
  });

  test.each([
    ['anthropic', ['messages']],
    ['gemini', ['gemini']],
    ['openai', [...OPENAI, 'messages']],
  ])('a stored channel of kind %s has %j', (kind, endpoints) => {
    const read = readDocument(second(kind));
    if (!read.ok) throw new Error('a stored document goes on');
    expect(buildCatalog(read.document, 1, 0).find('m')?.routes[0]?.channel.endpoints).toEqual(endpoints as Endpoint[]);
  });
});

describe('a key that opens nothing', () => {
  const keyed = (key: string, fields: Fields = {}) => withKind('chat', { kind: 'openai', api_key: key, ...fields });
  const notCarried =
    'channels[2].api_key: has characters that no header can carry: line ends and other control characters, or letters beyond U+00FF';

  test.each(['a\nb', '\nkey', 'a\u0000b', 'a\u007fb', 'ключ', 'key\u2028'])('%j is refused', (key) => {
    expect(faultsOfNew(keyed(key))).toEqual([notCarried]);
  });

  test.each(['sk-fake-key', 'a key', 'sch\u00fcssel', 'key\n', 'key\r\n', '<kept>'])('%j is not', (key) => {
    expect(faultsOfNew(keyed(key))).toEqual([]);
  });

  test.each([
    ['env:', 'names no variable: write env:NAME'],
    ['file:', 'names no file: write file:PATH'],
  ])('%s alone is refused, unless it is stored already: it must not stop another edit', (key, told) => {
    expect(faultsOfNew(keyed(key))).toEqual([`channels[2].api_key: ${told}`]);
    expect(checkDocument(keyed(key, { enabled: false }), keyed(key))).toMatchObject({ ok: true });
    expect(checkDocument(keyed(key), keyed('env:OTHER'))).toMatchObject({ ok: false });
  });
});
