// What a model wants back is given to the client in some form, and comes back to that model, and to no other, as it was.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Answer } from '../support/answer.ts';
import { parseSse } from '../support/sse.ts';
import { anthropicBlock } from './anthropic-replies.ts';
import type { Said } from './said.ts';
import {
  CLIENTS,
  type ClientName,
  isTranslated,
  replyScript,
  requestOf,
  UPSTREAMS,
  type UpstreamName,
} from './sides.ts';
import type { CaseOfPair } from './translation-case.ts';
import { startTranslationGateway, type TranslationGateway } from './translation-gateway.ts';

interface Place {
  upstream: UpstreamName;
  model?: string;
  quirks?: string;
}

const CLAUDE: Place = { upstream: 'anthropic' };
const OTHER_CLAUDE: Place = { upstream: 'anthropic', model: 'claude-opus-4-8' };
const GEMINI: Place = { upstream: 'gemini' };
const OTHER_GEMINI: Place = { upstream: 'gemini', model: 'gemini-3-flash' };
const DEEPSEEK: Place = { upstream: 'openai', quirks: 'deepseek', model: 'deepseek-reasoner' };
const SEALED: Place = { upstream: 'openai-responses', model: 'gpt-5-mini' };
const OTHER_SEALED: Place = { upstream: 'openai-responses', model: 'gpt-5' };
const ROUTER: Place = { upstream: 'openai', quirks: 'openrouter', model: 'anthropic/claude-opus-5' };
const OTHER_ROUTER: Place = { ...ROUTER, model: 'google/gemini-3-pro' };
const NO_ROUTER: Place = { ...ROUTER, quirks: 'vllm' };
const PLACES = [
  ...[CLAUDE, OTHER_CLAUDE, GEMINI, OTHER_GEMINI, DEEPSEEK, SEALED, OTHER_SEALED],
  ...[ROUTER, OTHER_ROUTER, NO_ROUTER],
];

const asCase = ({ upstream, ...rest }: Place): CaseOfPair => ({
  case: { name: 'a round trip', ...rest },
  client: 'responses',
  upstream,
});

let setting: TranslationGateway;
beforeAll(async () => {
  setting = await startTranslationGateway(PLACES.map(asCase));
});
afterAll(() => setting.stop());

/** A client of Google's format has Google's own signatures, and sends them to any model of Google's. */
const othersThanGemini = (client: ClientName) =>
  client === 'gemini' ? [DEEPSEEK, CLAUDE] : [OTHER_GEMINI, DEEPSEEK, CLAUDE];

const THINKING: Said = {
  reasoning: ['Let me', ' look. 早'],
  signature: 'c2lnbmVk+/=',
  text: ['Looking.'],
  calls: [{ id: 'toolu_1', name: 'look', arguments: ['{"b": 12345678901234567890,"a":1}'], signature: 'dGhvdWdodA==' }],
};
/** What we add; random ids, which may have the same letters, have others before them. */
const TAG = /(?<![0-9a-z])svc1/;
const TOOL_SCHEMA = { type: 'object', properties: { a: { type: 'integer' } } };

/** A whole turn with a tool: what the client says first, and how it says everything again with the result. */
const SPEAKERS: Record<ClientName, { first: object; again(answer: Answer): object }> = {
  chat: {
    first: {
      tools: [{ type: 'function', function: { name: 'look', parameters: TOOL_SCHEMA } }],
      messages: [{ role: 'user', content: 'Go' }],
    },
    again: ({ choices: [{ message }] }) => ({
      tools: [{ type: 'function', function: { name: 'look', parameters: TOOL_SCHEMA } }],
      messages: [
        { role: 'user', content: 'Go' },
        message,
        { role: 'tool', tool_call_id: message.tool_calls[0].id, content: 'light' },
      ],
    }),
  },
  messages: {
    first: { tools: [{ name: 'look', input_schema: TOOL_SCHEMA }], messages: [{ role: 'user', content: 'Go' }] },
    again: ({ content }) => ({
      tools: [{ name: 'look', input_schema: TOOL_SCHEMA }],
      messages: [
        { role: 'user', content: 'Go' },
        { role: 'assistant', content },
        {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: content.at(-1).id, content: 'light' }],
        },
      ],
    }),
  },
  responses: {
    first: {
      store: false,
      include: ['reasoning.encrypted_content'],
      tools: [{ type: 'function', name: 'look', parameters: TOOL_SCHEMA }],
      input: [{ role: 'user', content: 'Go' }],
    },
    again: ({ output }) => ({
      store: false,
      include: ['reasoning.encrypted_content'],
      tools: [{ type: 'function', name: 'look', parameters: TOOL_SCHEMA }],
      input: [
        { role: 'user', content: 'Go' },
        ...output,
        { type: 'function_call_output', call_id: output.at(-1).call_id, output: 'light' },
      ],
    }),
  },
  gemini: {
    first: {
      tools: [{ functionDeclarations: [{ name: 'look', parametersJsonSchema: TOOL_SCHEMA }] }],
      contents: [{ role: 'user', parts: [{ text: 'Go' }] }],
    },
    // Google's library keeps each chunk of a stream as a content.
    again: ({ candidates, contents = candidates.map(({ content }: Answer) => content) }) => ({
      tools: [{ functionDeclarations: [{ name: 'look', parametersJsonSchema: TOOL_SCHEMA }] }],
      contents: [
        { role: 'user', parts: [{ text: 'Go' }] },
        ...contents,
        { role: 'user', parts: [{ functionResponse: { name: 'look', response: { output: 'light' } } }] },
      ],
    }),
  },
};

async function ask(
  client: ClientName,
  place: Place,
  body: object,
  says: Said,
  stream = false,
): Promise<{ answer: Answer; sent: Answer; raw: string }> {
  const { gateway, key } = setting;
  gateway.upstream.reset();
  gateway.upstream.otherwise(replyScript(place.upstream, UPSTREAMS[place.upstream].says(says), stream));
  const fields = CLIENTS[client].body({ ...body, model: setting.modelOf(asCase(place)), stream });
  const { path, body: asked } = requestOf(client, fields);
  const response = await gateway.call(path, { key, body: asked });
  const text = await response.text();
  expect(response.status, text).toBe(200);
  const { json, body: raw } = await gateway.upstream.request(0);
  if (isTranslated(client, place.upstream)) UPSTREAMS[place.upstream].check(json);
  return { answer: stream ? wholeOf(client, text) : JSON.parse(text), sent: json, raw };
}

/** A streamed answer as its client keeps it. */
function wholeOf(client: ClientName, text: string): Answer {
  expect(CLIENTS[client].readStream(text).complete).toBe(true);
  const events = parseSse(text).map(({ json }) => json);
  if (client === 'responses') return events.at(-1).response;
  if (client === 'gemini') return { candidates: [], contents: events.map(({ candidates: [{ content }] }) => content) };
  const content: Answer[] = [];
  for (const { type, content_block: block, delta } of events) {
    const open = content.at(-1);
    if (type === 'content_block_start') content.push(block);
    if (delta?.type === 'text_delta') open.text += delta.text;
    if (delta?.type === 'thinking_delta') open.thinking += delta.thinking;
    if (delta?.type === 'signature_delta') open.signature += delta.signature;
    if (delta?.type === 'input_json_delta') open.input = JSON.parse(delta.partial_json);
  }
  return { content };
}

/** The request that a client sends after an answer of one model, to the same or to another one. */
async function trip(
  client: ClientName,
  from: Place,
  to: Place,
  { says = THINKING, stream = false, keep = (answer) => answer }: TripOptions = {},
): Promise<{ sent: Answer; raw: string }> {
  const { first, again } = SPEAKERS[client];
  const { answer } = await ask(client, from, first, says, stream);
  return ask(client, to, again(keep(answer)), { text: ['Done.'] });
}

interface TripOptions {
  says?: Said;
  stream?: boolean;
  /** What becomes of an answer before the client sends it again. */
  keep?: (answer: Answer) => Answer;
}

describe.each(['chat', 'responses', 'gemini'] as const)('%s, thoughts of Claude', (client) => {
  test('go back to it first in their turn, with the same bytes', async () => {
    const { sent, raw } = await trip(client, CLAUDE, CLAUDE);
    expect(sent.messages[1].content.map(({ type }: Answer) => type)).toEqual(['thinking', 'text', 'tool_use']);
    expect(sent.messages[1].content[0]).toEqual({
      type: 'thinking',
      thinking: 'Let me look. 早',
      signature: 'c2lnbmVk+/=',
    });
    // A client of Gemini has parsed the arguments itself.
    if (client !== 'gemini') expect(raw).toContain('"input":{"b": 12345678901234567890,"a":1}');
  });

  test.each([
    ['another Claude', OTHER_CLAUDE],
    ['Gemini', GEMINI],
  ])('do not go to %s', async (_, to) => {
    const { raw } = await trip(client, CLAUDE, to);
    expect(raw).not.toContain('Let me look');
    expect(raw).not.toContain('c2lnbmVk');
    expect(raw).toContain('Looking.');
    expect(raw).not.toMatch(TAG);
  });
});

describe.each(['chat', 'messages', 'responses', 'gemini'] as const)(
  '%s, the signature of a call by Gemini',
  (client) => {
    test('goes back to it in its place', async () => {
      const { sent, raw } = await trip(client, GEMINI, GEMINI);
      const call = sent.contents[1].parts.find((part: Answer) => part.functionCall);
      expect(call.thoughtSignature).toBe('dGhvdWdodA==');
      expect(call.functionCall.name).toBe('look');
      // A client of messages or Gemini has parsed the input itself.
      if (client === 'chat' || client === 'responses')
        expect(raw).toContain('"args":{"b": 12345678901234567890,"a":1}');
      expect(raw).not.toMatch(TAG);
    });

    test('goes to no other model', async () => {
      for (const to of othersThanGemini(client)) {
        const { raw } = await trip(client, GEMINI, to);
        expect(raw).not.toContain('dGhvdWdodA');
        expect(raw).not.toMatch(TAG);
        expect(raw).toContain('light');
      }
    });
  },
);

describe.each(['chat', 'messages', 'responses', 'gemini'] as const)(
  '%s, the signature of words by Gemini',
  (client) => {
    const SIGNED: Said = { text: ['Good', ' morning'], textSignature: 'd29yZHM=' };
    const asked = { role: 'user', content: 'Go' };
    const more = { role: 'user', content: 'More' };
    const words = (text: string) => ({ role: 'user', parts: [{ text }] });
    const AGAIN: Record<ClientName, (answer: Answer) => object> = {
      chat: ({ choices: [{ message }] }) => ({ messages: [asked, message, more] }),
      messages: ({ content }) => ({ messages: [asked, { role: 'assistant', content }, more] }),
      responses: ({ output }) => ({ input: [asked, ...output, more] }),
      gemini: ({ candidates: [{ content }] }) => ({ contents: [words('Go'), content, words('More')] }),
    };
    const said = async (to: Place) => {
      const { answer } = await ask(client, GEMINI, {}, SIGNED);
      return ask(client, to, AGAIN[client](answer), { text: ['Done.'] });
    };

    test('goes back to it, where the client has a place for it', async () => {
      const { sent } = await said(GEMINI);
      const { parts } = sent.contents[1];
      const text = parts.map((part: Answer) => part.text).join('');
      const signature = parts.find((part: Answer) => part.thoughtSignature)?.thoughtSignature;
      const hasPlace = client === 'chat' || client === 'gemini';
      expect([text, signature]).toEqual(['Good morning', hasPlace ? 'd29yZHM=' : undefined]);
    });

    test('goes to no other model', async () => {
      for (const to of othersThanGemini(client)) expect((await said(to)).raw).not.toContain('d29yZHM');
    });
  },
);

test('a chat client that keeps nothing but the id of the call still gives the signature back', async () => {
  const { first, again } = SPEAKERS.chat;
  const { answer } = await ask('chat', GEMINI, first, THINKING);
  const [{ message }] = answer.choices;
  const [{ id, type, function: called }] = message.tool_calls;
  const bare = { role: 'assistant', content: message.content, tool_calls: [{ id, type, function: called }] };
  const { sent } = await ask('chat', GEMINI, again({ choices: [{ message: bare }] }), { text: ['Done.'] });
  expect(sent.contents[1].parts.find((part: Answer) => part.functionCall).thoughtSignature).toBe('dGhvdWdodA==');
});

describe.each(['messages', 'responses', 'gemini'] as const)('%s, thoughts of another model', (client) => {
  test('go in words to one that refuses a history without them', async () => {
    for (const from of [CLAUDE, GEMINI, SEALED, NO_ROUTER]) {
      const { sent, raw } = await trip(client, from, DEEPSEEK);
      expect(sent.messages[1].reasoning_content, from.upstream).toBe('Let me look. 早');
      expect(raw).not.toMatch(/c2lnbmVk|c2VhbGVk/);
      expect(raw).not.toMatch(TAG);
    }
  });
});

describe.each(['messages', 'responses', 'gemini'] as const)('%s, thoughts of a model that signs nothing', (client) => {
  test('go back to it', async () => {
    const { sent } = await trip(client, DEEPSEEK, DEEPSEEK);
    expect(sent.messages[1].reasoning_content).toBe('Let me look. 早');
  });

  test('do not go to Claude, who would check a signature', async () => {
    const { sent, raw } = await trip(client, DEEPSEEK, CLAUDE);
    expect(raw).not.toContain('Let me look');
    expect(raw).not.toMatch(TAG);
    expect(sent.messages[1].content.map(({ type }: Answer) => type)).toEqual(['text', 'tool_use']);
  });
});

describe.each(['chat', 'messages', 'gemini'] as const)('%s, thoughts that their model sealed', (client) => {
  test('go back to it, before what came of them', async () => {
    const { sent } = await trip(client, SEALED, SEALED);
    const kinds = sent.input.map(({ type = 'message' }: Answer) => type);
    expect(kinds).toEqual(['message', 'reasoning', 'message', 'function_call', 'function_call_output']);
    expect(sent.input[1].encrypted_content).toBe('c2VhbGVk');
    expect(sent.input[3].call_id).toBe('toolu_1');
  });

  test('go to no other model', async () => {
    for (const to of [OTHER_SEALED, CLAUDE, GEMINI, DEEPSEEK]) {
      const { raw } = await trip(client, SEALED, to);
      expect(raw).not.toContain('c2VhbGVk');
      expect(raw).not.toMatch(TAG);
      expect(raw).toContain('light');
    }
  });
});

describe.each(['base64', 'base64url'] as const)(
  'clients that keep what is sealed as bytes, and send it in %s',
  (encoding) => {
    const encode = (value: string) => Buffer.from(value).toString(encoding);
    let encoded: string[] = [];
    /** Only the id of a detail tells its maker, as to clients that keep no other field. */
    const keep = (answer: Answer): Answer => {
      encoded = [];
      return JSON.parse(JSON.stringify(answer), (name, value) => {
        if (name === 'origin') return undefined;
        if (typeof value !== 'string' || !value.startsWith('svc1.')) return value;
        encoded.push(encode(value));
        return encode(value);
      });
    };
    const back = async (client: ClientName, from: Place, to: Place, says?: Said) => {
      const { sent, raw } = await trip(client, from, to, { keep, ...(says ? { says } : {}) });
      expect(encoded.length).toBeGreaterThan(0);
      for (const value of encoded) expect(raw).not.toContain(value.replaceAll('=', ''));
      expect(raw).not.toMatch(TAG);
      expect(raw).toContain('light');
      return { sent, raw };
    };
    const LONG: Said = { ...THINKING, signature: 'c2ln'.repeat(2_000) };

    test.each(['chat', 'messages'] as const)('%s: thoughts go back to the model that sealed them', async (client) => {
      expect((await back(client, SEALED, SEALED)).sent.input[1].encrypted_content).toBe('c2VhbGVk');
    });

    test.each(['chat', 'responses'] as const)('%s: thoughts of Claude go back with their bytes', async (client) => {
      for (const says of [THINKING, LONG]) {
        const { sent } = await back(client, CLAUDE, CLAUDE, says);
        expect(sent.messages[1].content[0]).toEqual({
          type: 'thinking',
          thinking: 'Let me look. 早',
          signature: says.signature,
        });
      }
    });

    test.each([
      ['chat', CLAUDE, [OTHER_CLAUDE, GEMINI, SEALED, NO_ROUTER]],
      ['chat', SEALED, [OTHER_SEALED, CLAUDE, GEMINI, NO_ROUTER]],
      ['messages', SEALED, [OTHER_SEALED, CLAUDE, GEMINI]],
      ['messages', DEEPSEEK, [SEALED, CLAUDE, GEMINI]],
      ['responses', CLAUDE, [OTHER_CLAUDE, GEMINI, SEALED]],
      ['responses', DEEPSEEK, [CLAUDE, GEMINI, SEALED]],
    ] as const)('%s: they go to no other model', async (client, from, others) => {
      for (const to of others) {
        for (const says of [THINKING, LONG]) {
          const { raw } = await back(client, from, to, says);
          expect(raw).not.toContain('Let me look');
          expect(raw).not.toMatch(/c2lnbmVk|c2lnc2ln|c2VhbGVk/);
        }
      }
    });
  },
);

test('thoughts of Claude, shown to a chat client, stay behind for an upstream of its own format', async () => {
  const { sent, raw } = await trip('chat', CLAUDE, NO_ROUTER);
  expect(Object.keys(sent.messages[1]).sort()).toEqual(['content', 'refusal', 'role', 'tool_calls']);
  expect(raw).toContain('"arguments":"{\\"b\\": 12345678901234567890,\\"a\\":1}"');
});

test('but for one that refuses a history without them', async () => {
  const { sent, raw } = await trip('chat', CLAUDE, DEEPSEEK);
  const names = ['content', 'reasoning_content', 'refusal', 'role', 'tool_calls'];
  expect(Object.keys(sent.messages[1]).sort()).toEqual(names);
  expect(sent.messages[1].reasoning_content).toBe('Let me look. 早');
  expect(raw).not.toContain('c2lnbmVk');
});

test('thoughts that an upstream of the same format told are its own', async () => {
  const { sent } = await trip('chat', NO_ROUTER, NO_ROUTER);
  expect(sent.messages[1].reasoning_content).toBe('Let me look. 早');
});

test('thoughts of Claude, shown to a messages client by Claude itself, go back as they are', async () => {
  const { sent } = await trip('messages', CLAUDE, CLAUDE);
  expect(sent.messages[1].content[0]).toEqual({
    type: 'thinking',
    thinking: 'Let me look. 早',
    signature: 'c2lnbmVk+/=',
  });
});

describe('without thoughts of its own before the calls', () => {
  const enabled = { type: 'enabled', budget_tokens: 2000 };
  const OFF = [{ type: 'disabled' }, 'thinking'] as const;
  const ON = [enabled, null] as const;
  const called = { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_2', name: 'look', input: {} }] };
  const result = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_2', content: 'Rain.' }] };
  const said = { role: 'user', content: 'And then?' };
  const words = { role: 'assistant', content: [{ type: 'text', text: 'Done.' }] };

  test.each([
    ['at once', DEEPSEEK, [], OFF],
    ['at once, with words beside the result', DEEPSEEK, [said], OFF],
    ['at the next call, which had none', DEEPSEEK, [called, result], OFF],
    ['at the third', DEEPSEEK, [called, result, called, result], OFF],
    ['but no more when the user has spoken', DEEPSEEK, [words, said], ON],
    ['nor at a call after that', DEEPSEEK, [words, said, called, result], ON],
    ['and never where they are its own', CLAUDE, [], ON],
    ['nor at a call that it had no thoughts before', CLAUDE, [called, result], ON],
  ] as const)('Claude goes on without thinking, and that is told: %s', async (_, from, later, [thinking, dropped]) => {
    const { gateway, key } = setting;
    const { first, again } = SPEAKERS.messages;
    const { answer } = await ask('messages', from, first, THINKING);
    gateway.upstream.reset();
    gateway.upstream.next(replyScript('anthropic', UPSTREAMS.anthropic.says({ text: ['Done.'] }), false));
    const asked: Answer = again(answer);
    const messages = [...asked.messages, ...later];
    const body = { ...asked, messages, model: setting.modelOf(asCase(CLAUDE)), thinking: enabled, max_tokens: 4000 };
    const response = await gateway.call(CLIENTS.messages.path, { key, body: CLIENTS.messages.body(body) });
    expect(response.status).toBe(200);
    expect(response.headers.get('x-svc-dropped')).toBe(dropped);
    expect((await gateway.upstream.request(0)).json.thinking).toEqual(thinking);
  });
});

test('thoughts that nobody can read come back as they were', async () => {
  const data = 'EmwKAhgBEgy3va3pzix/LafPsn4=';
  const reply = {
    id: 'msg_upstream',
    type: 'message',
    role: 'assistant',
    model: 'upstream-model',
    content: [
      { type: 'redacted_thinking', data },
      { type: 'tool_use', id: 'toolu_1', name: 'look', input: {} },
    ],
    stop_reason: 'tool_use',
    usage: { input_tokens: 1, output_tokens: 1 },
  };
  for (const client of ['chat', 'responses', 'gemini'] as const) {
    const { gateway, key } = setting;
    gateway.upstream.reset();
    gateway.upstream.next(replyScript('anthropic', { whole: reply }, false));
    const model = setting.modelOf(asCase(CLAUDE));
    const { first, again } = SPEAKERS[client];
    const { path, body } = requestOf(client, CLIENTS[client].body({ ...first, model }));
    const response = await gateway.call(path, { key, body });
    const { sent } = await ask(client, CLAUDE, again(await response.json()), { text: ['Done.'] });
    expect(sent.messages[1].content[0]).toEqual({ type: 'redacted_thinking', data });
  }
});

describe.each([
  ['chat', false],
  ['responses', false],
  ['responses', true],
  ['gemini', false],
  ['gemini', true],
] as const)('%s, several thoughts of Claude, streamed: %p', (client, stream) => {
  const thinking = (signature: string) => ({ type: 'thinking', thinking: `of ${signature}`, signature });
  const words = (text: string) => ({ type: 'text', text });
  const use = (id: string) => ({ type: 'tool_use', id, name: 'look', input: {} });
  const redacted = { type: 'redacted_thinking', data: 'EmwK' };
  const head = { id: 'msg_upstream', type: 'message', role: 'assistant', model: 'upstream-model' };
  const usage = { input_tokens: 1, output_tokens: 1 };
  const stop = { stop_reason: 'tool_use', stop_sequence: null };
  const reply = (content: object[]) => ({
    whole: { ...head, content, ...stop, usage },
    stream: [
      { type: 'message_start', message: { ...head, content: [], usage } },
      ...content.map((block) => [block]).flatMap(anthropicBlock),
      { type: 'message_delta', delta: stop, usage },
      { type: 'message_stop' },
    ],
  });
  /** What of these blocks Claude is given back. */
  const backOf = async (...content: object[]) => {
    const { gateway, key } = setting;
    gateway.upstream.reset();
    gateway.upstream.next(replyScript('anthropic', reply(content), stream));
    const model = setting.modelOf(asCase(CLAUDE));
    const fields = CLIENTS[client].body({ ...SPEAKERS[client].first, model, stream });
    const { path, body } = requestOf(client, fields);
    const text = await (await gateway.call(path, { key, body })).text();
    const answer = stream ? wholeOf(client, text) : JSON.parse(text);
    const { sent } = await ask(client, CLAUDE, SPEAKERS[client].again(answer), { text: ['Done.'] });
    return sent.messages[1].content;
  };

  test('go back in their places, where the client keeps them; else those before all words and calls', async () => {
    const mixed = [thinking('S1'), redacted, words('Hm.'), thinking('S2'), use('toolu_1'), redacted, use('toolu_2')];
    const first = mixed.filter((block, index) => index < 2 || block.type === 'text' || block.type === 'tool_use');
    expect(await backOf(...mixed)).toEqual(client === 'chat' ? first : mixed);
  });

  test('go back as far as nothing that stood between them is missing', async () => {
    const [one, two, last] = [thinking('S1'), thinking('S2'), use('toolu_1')];
    expect(await backOf(one, two, last)).toEqual([one, two, last]);
    for (const gap of ['', '\n\n']) {
      const back = await backOf(one, words(gap), two, words('Hm.'), last);
      expect(back.map(({ type }: Answer) => type)).toEqual(['thinking', 'text', 'tool_use']);
      expect(back[0]).toEqual(one);
    }
  });
});

test('a streamed answer can be handed back like a whole one', async () => {
  const { sent } = await trip('responses', CLAUDE, CLAUDE, { stream: true });
  expect(sent.messages[1].content[0].signature).toBe('c2lnbmVk+/=');
});

const SIGNED_DETAIL = { type: 'reasoning.text', format: 'anthropic-claude-v1', index: 0 };
const SEALED_DETAIL = { type: 'reasoning.encrypted', id: 'rs_1', format: 'openai-responses-v1', index: 1 };
const DETAILED: Said = {
  ...THINKING,
  details: {
    whole: [
      { ...SIGNED_DETAIL, text: 'Let me look. 早', signature: 'c2lnbmVk+/=' },
      { ...SEALED_DETAIL, data: 'c2VhbGVk' },
    ],
    pieces: [
      { ...SIGNED_DETAIL, text: 'Let me', signature: null },
      { ...SIGNED_DETAIL, text: ' look. 早', signature: null },
      { ...SIGNED_DETAIL, signature: 'c2lnbmVk+/=' },
      { ...SEALED_DETAIL, data: 'c2Vh' },
      { ...SEALED_DETAIL, data: 'bGVk' },
    ],
  },
};

describe.each([
  ['messages', false],
  ['messages', true],
  ['responses', false],
  ['responses', true],
] as const)('%s, details of reasoning by a router, streamed: %p', (client, stream) => {
  const tripOf = (to: Place, says = DETAILED) => trip(client, ROUTER, to, { says, stream });

  test('go back to it as they were, in place of the words', async () => {
    const { sent, raw } = await tripOf(ROUTER);
    expect(sent.messages[1].reasoning_details).toEqual(DETAILED.details?.whole);
    expect(sent.messages[1]).not.toHaveProperty('reasoning');
    expect(sent.messages[1].content).toBe('Looking.');
    expect(sent.messages[1].tool_calls[0].id).toBe('toolu_1');
    expect(raw).not.toMatch(TAG);
  });

  test('go back to it where no word of them can be read', async () => {
    const { sent } = await tripOf(ROUTER, { ...DETAILED, reasoning: [], text: [] });
    expect(sent.messages[1].reasoning_details).toEqual(DETAILED.details?.whole);
  });

  test('go to no other model', async () => {
    for (const to of [OTHER_ROUTER, CLAUDE, GEMINI, DEEPSEEK, SEALED]) {
      const { raw } = await tripOf(to);
      for (const kept of ['reasoning_details', 'c2lnbmVk', 'c2VhbGVk']) expect(raw).not.toContain(kept);
      if (to !== DEEPSEEK) expect(raw).not.toContain('Let me look');
      expect(raw).not.toMatch(TAG);
      expect(raw).toContain('light');
    }
  });

  test('do not go to the same model where nobody knows them: its words do', async () => {
    const { sent, raw } = await tripOf(NO_ROUTER);
    expect(sent.messages[1].reasoning).toBe('Let me look. 早');
    expect(raw).not.toContain('reasoning_details');
    const { raw: other } = await trip(client, NO_ROUTER, ROUTER, { says: DETAILED, stream });
    expect(other).toContain('"reasoning":"Let me look. 早"');
    expect(other).not.toContain('reasoning_details');
  });

  test('may be long', async () => {
    const bits = Array.from({ length: 4_000 }, (_, at) => `${at} ${'早a'.repeat(60)}`);
    const data = bits.join('');
    const pieces = bits.map((bit) => ({ ...SEALED_DETAIL, data: bit }));
    const { sent } = await tripOf(ROUTER, { ...DETAILED, details: { whole: [{ ...SEALED_DETAIL, data }], pieces } });
    expect(sent.messages[1].reasoning_details).toEqual([{ ...SEALED_DETAIL, data }]);
  });
});
