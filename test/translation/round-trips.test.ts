// What a model wants back is given to the client in some form, and comes back to that model, and to no other, as it was.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Answer } from '../support/answer.ts';
import type { Told } from '../support/grammar/told.ts';
import type { Said } from './said.ts';
import { CLIENTS, type ClientName, isTranslated, replyScript, UPSTREAMS, type UpstreamName } from './sides.ts';
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
const PLACES = [CLAUDE, OTHER_CLAUDE, GEMINI, OTHER_GEMINI, DEEPSEEK, SEALED, OTHER_SEALED];

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

const THINKING: Said = {
  reasoning: ['Let me', ' look. 早'],
  signature: 'c2lnbmVk+/=',
  text: ['Looking.'],
  calls: [{ id: 'toolu_1', name: 'look', arguments: ['{"b": 12345678901234567890,"a":1}'], signature: 'dGhvdWdodA==' }],
};
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
};

async function ask(
  client: ClientName,
  place: Place,
  body: object,
  says: Said,
): Promise<{ answer: Answer; sent: Answer; raw: string }> {
  const { gateway, key } = setting;
  gateway.upstream.reset();
  gateway.upstream.otherwise(replyScript(place.upstream, UPSTREAMS[place.upstream].says(says), false));
  const response = await gateway.call(CLIENTS[client].path, {
    key,
    body: CLIENTS[client].body({ ...body, model: setting.modelOf(asCase(place)) }),
  });
  const text = await response.text();
  expect(response.status, text).toBe(200);
  const { json, body: raw } = await gateway.upstream.request(0);
  if (isTranslated(client, place.upstream)) UPSTREAMS[place.upstream].check(json);
  return { answer: JSON.parse(text), sent: json, raw };
}

/** The request that a client sends after an answer of one model, to the same or to another one. */
async function trip(client: ClientName, from: Place, to: Place): Promise<{ sent: Answer; raw: string }> {
  const { first, again } = SPEAKERS[client];
  const { answer } = await ask(client, from, first, THINKING);
  return ask(client, to, again(answer), { text: ['Done.'] });
}

describe.each(['chat', 'responses'] as const)('%s, thoughts of Claude', (client) => {
  test('go back to it first in their turn, with the same bytes', async () => {
    const { sent, raw } = await trip(client, CLAUDE, CLAUDE);
    expect(sent.messages[1].content.map(({ type }: Answer) => type)).toEqual(['thinking', 'text', 'tool_use']);
    expect(sent.messages[1].content[0]).toEqual({
      type: 'thinking',
      thinking: 'Let me look. 早',
      signature: 'c2lnbmVk+/=',
    });
    expect(raw).toContain('"input":{"b": 12345678901234567890,"a":1}');
  });

  test.each([
    ['another Claude', OTHER_CLAUDE],
    ['Gemini', GEMINI],
  ])('do not go to %s', async (_, to) => {
    const { raw } = await trip(client, CLAUDE, to);
    expect(raw).not.toContain('Let me look');
    expect(raw).not.toContain('c2lnbmVk');
    expect(raw).toContain('Looking.');
    expect(raw).not.toContain('svc1');
  });
});

describe.each(['chat', 'messages', 'responses'] as const)('%s, the signature of a call by Gemini', (client) => {
  test('goes back to it in its place', async () => {
    const { sent, raw } = await trip(client, GEMINI, GEMINI);
    const call = sent.contents[1].parts.find((part: Answer) => part.functionCall);
    expect(call.thoughtSignature).toBe('dGhvdWdodA==');
    expect(call.functionCall.name).toBe('look');
    // A client of messages has parsed the input itself.
    if (client !== 'messages') expect(raw).toContain('"args":{"b": 12345678901234567890,"a":1}');
    expect(raw).not.toContain('svc1');
  });

  test('goes to no other model', async () => {
    for (const to of [OTHER_GEMINI, DEEPSEEK, CLAUDE]) {
      const { raw } = await trip(client, GEMINI, to);
      expect(raw).not.toContain('dGhvdWdodA');
      expect(raw).not.toContain('svc1');
      expect(raw).toContain('light');
    }
  });
});

test('a chat client that keeps nothing but the id of the call still gives the signature back', async () => {
  const { first, again } = SPEAKERS.chat;
  const { answer } = await ask('chat', GEMINI, first, THINKING);
  const [{ message }] = answer.choices;
  const [{ id, type, function: called }] = message.tool_calls;
  const bare = { role: 'assistant', content: message.content, tool_calls: [{ id, type, function: called }] };
  const { sent } = await ask('chat', GEMINI, again({ choices: [{ message: bare }] }), { text: ['Done.'] });
  expect(sent.contents[1].parts.find((part: Answer) => part.functionCall).thoughtSignature).toBe('dGhvdWdodA==');
});

describe.each(['messages', 'responses'] as const)('%s, thoughts of a model that signs nothing', (client) => {
  test('go back to it', async () => {
    const { sent } = await trip(client, DEEPSEEK, DEEPSEEK);
    expect(sent.messages[1].reasoning_content).toBe('Let me look. 早');
  });

  test('do not go to Claude, who would check a signature', async () => {
    const { sent, raw } = await trip(client, DEEPSEEK, CLAUDE);
    expect(raw).not.toContain('Let me look');
    expect(raw).not.toContain('svc1');
    expect(sent.messages[1].content.map(({ type }: Answer) => type)).toEqual(['text', 'tool_use']);
  });
});

describe.each(['chat', 'messages'] as const)('%s, thoughts that their model sealed', (client) => {
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
      expect(raw).not.toContain('svc1');
      expect(raw).toContain('light');
    }
  });
});

test('thoughts of Claude, shown to a messages client by Claude itself, go back as they are', async () => {
  const { sent } = await trip('messages', CLAUDE, CLAUDE);
  expect(sent.messages[1].content[0]).toEqual({
    type: 'thinking',
    thinking: 'Let me look. 早',
    signature: 'c2lnbmVk+/=',
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
  for (const client of ['chat', 'responses'] as const) {
    const { gateway, key } = setting;
    gateway.upstream.reset();
    gateway.upstream.next(replyScript('anthropic', { whole: reply }, false));
    const model = setting.modelOf(asCase(CLAUDE));
    const { first, again } = SPEAKERS[client];
    const response = await gateway.call(CLIENTS[client].path, { key, body: CLIENTS[client].body({ ...first, model }) });
    const { sent } = await ask(client, CLAUDE, again(await response.json()), { text: ['Done.'] });
    expect(sent.messages[1].content[0]).toEqual({ type: 'redacted_thinking', data });
  }
});

test('a streamed answer can be handed back like a whole one', async () => {
  const { gateway, key } = setting;
  gateway.upstream.reset();
  gateway.upstream.next(replyScript('anthropic', UPSTREAMS.anthropic.says(THINKING), true));
  const model = setting.modelOf(asCase(CLAUDE));
  const { first, again } = SPEAKERS.responses;
  const body = CLIENTS.responses.body({ ...first, model, stream: true });
  const text = await (await gateway.call(CLIENTS.responses.path, { key, body })).text();
  const told: Told = CLIENTS.responses.readStream(text);
  expect(told.complete).toBe(true);
  const last = text.split('\n').findLast((line) => line.startsWith('data: ')) ?? '';
  const { sent } = await ask('responses', CLAUDE, again(JSON.parse(last.slice(6)).response), { text: ['Done.'] });
  expect(sent.messages[1].content[0].signature).toBe('c2lnbmVk+/=');
});
