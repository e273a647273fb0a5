// A refusal that comes with status 200, as an answer or as the first event of a stream, is the same as one with status
// 400 or 429: no other try is made at once, and however often it comes the model stays open for everybody else.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import type { Answer } from '../support/answer.ts';
import { messageEvents } from '../support/anthropic-messages.ts';
import { type ClientGateway, startClientGateway } from '../support/client-gateway.ts';
import { geminiAnswer, geminiError, geminiStream } from '../support/gemini.ts';
import { pictureAnswer } from '../support/media-answers.ts';
import { chatStream, errorScript, jsonScript, sseScript, sseText } from '../support/openai-chat.ts';
import { responseEvents, responseFrame, responseObject } from '../support/openai-responses.ts';
import type { Script } from '../support/script.ts';
import { openaiChannel, UPSTREAM_KEY, upstreamUrl } from '../support/test-document.ts';

/** More than open a breaker. */
const OFTEN = 6;
const CHAT = '/v1/chat/completions';
const RESPONSES = '/v1/responses';
const MESSAGES = '/v1/messages';
const IMAGES = '/v1/images/generations';
const ROUTE = { context_tokens: 1_000_000, max_output_tokens: 64_000, price: { input: 1, output: 1 } };

let gateway: ClientGateway;
let otherKey: string;

beforeAll(async () => {
  gateway = await startClientGateway({
    document: (doc) => ({
      ...doc,
      channels: [...doc.channels, openaiChannel('on-responses', upstreamUrl(doc), { endpoints: ['responses'] })],
      models: [
        ...doc.models,
        { ...ROUTE, id: 'on-responses', routes: [{ channel: 'on-responses', model: 'scripted-2026-01' }] },
        { ...ROUTE, id: 'small', fallbacks: ['on-anthropic'], routes: [{ channel: 'on-openai', model: 'small' }] },
      ],
    }),
  });
  otherKey = (await gateway.register()).key;
});
beforeEach(() => gateway.upstream.reset());
afterAll(() => gateway.stop());

function ask(path: string, model: string, stream: boolean, key = gateway.key): Promise<Response> {
  const messages = [{ role: 'user', content: 'Hi' }];
  const bodies: Record<string, Record<string, unknown>> = {
    [CHAT]: { messages },
    [RESPONSES]: { input: 'Hi' },
    [MESSAGES]: { messages, max_tokens: 200 },
    [IMAGES]: { prompt: 'A dot' },
  };
  return gateway.call(path, { key, body: { model, stream, ...bodies[path] } });
}

async function expectOpen(path: string, model: string): Promise<void> {
  gateway.answer(() => ({ pieces: ['Fine'] }));
  if (path === IMAGES) gateway.upstream.otherwise(pictureAnswer());
  const response = await ask(path, model, false, otherKey);
  await response.text();
  expect(response.status).toBe(200);
}

const event = (type: string, error: Record<string, unknown>) => responseFrame({ type, error });
const chatError = (error: unknown) => sseScript([sseText(JSON.stringify({ error }))]);
const begun = responseEvents().slice(0, 2).map(responseFrame);
const failedAs = (error: Record<string, unknown>, more = {}) => {
  const response = { ...responseObject(), ...more, status: 'failed', output: [], error };
  return sseScript([...begun, responseFrame({ type: 'response.failed', response })]);
};
const messageFailed = (error: Record<string, unknown>) => {
  const [start] = messageEvents();
  return sseScript([...(start ? [responseFrame(start)] : []), event('error', error)]);
};

const FLAGGED = { code: 'invalid_prompt', message: 'Invalid prompt: it was flagged.' };
const FULL = { code: 'context_length_exceeded', message: 'Your input is long.' };
const FILTERED = { code: 'content_filter', message: 'No.' };
const BLOCKED = { code: 'moderation_blocked', type: 'image_generation_user_error', message: 'No.' };
const BAD = { type: 'invalid_request_error', message: 'messages: at least one is needed' };
const REJECTED = 'content_rejected';
const TOO_LONG = 'context_length_exceeded';
const INVALID = 'invalid_request';

const streams: [what: string, path: string, model: string, script: Script, code: string][] = [
  ['an image that is blocked', IMAGES, 'paint', sseScript([event('error', BLOCKED)]), REJECTED],
  ['a failed response', RESPONSES, 'on-openai', failedAs(FLAGGED), REJECTED],
  ['a failed response', RESPONSES, 'on-openai', failedAs(FULL), TOO_LONG],
  [
    'a failed response that repeats its long prompt',
    RESPONSES,
    'on-openai',
    failedAs(FULL, { instructions: 'x'.repeat(200_000) }),
    TOO_LONG,
  ],
  ['a failed response, translated', CHAT, 'on-responses', failedAs(FLAGGED), REJECTED],
  ['a failed response, translated', MESSAGES, 'on-responses', failedAs(FULL), TOO_LONG],
  [
    'an error event that is the error itself',
    RESPONSES,
    'on-openai',
    sseScript([...begun, responseFrame({ type: 'error', param: null, ...FULL })]),
    TOO_LONG,
  ],
  ['a chat error', CHAT, 'on-openai', chatError(FILTERED), REJECTED],
  ['a chat error', CHAT, 'on-openai', chatError(FULL), TOO_LONG],
  ['a chat error, translated', MESSAGES, 'on-openai', chatError(FILTERED), REJECTED],
  ['a chat error with a number', CHAT, 'on-openai', chatError({ code: 400, message: 'No.' }), INVALID],
  ['a chat error with a number in text', CHAT, 'on-openai', chatError({ code: '422', message: 'No.' }), INVALID],
  [
    'an error of one choice',
    CHAT,
    'on-openai',
    sseScript([
      sseText(JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: 'error', error: FILTERED }] })),
    ]),
    REJECTED,
  ],
  [
    'an error without an envelope',
    CHAT,
    'on-openai',
    sseScript([sseText(JSON.stringify({ object: 'error', code: 400, message: 'No.' }))]),
    INVALID,
  ],
  ['a message error', MESSAGES, 'on-anthropic', messageFailed(BAD), INVALID],
  ['a message error, translated', CHAT, 'on-anthropic', messageFailed(BAD), INVALID],
  [
    'a Gemini error',
    CHAT,
    'on-gemini',
    sseScript([sseText(JSON.stringify({ error: { code: 400, status: 'INVALID_ARGUMENT', message: 'No.' } }))]),
    INVALID,
  ],
  ['no stream but an error', CHAT, 'on-openai', errorScript(200, FILTERED), REJECTED],
  [
    'no stream but a list of one error',
    CHAT,
    'on-gemini',
    jsonScript(200, [{ error: { code: 400, message: 'No.' } }]),
    INVALID,
  ],
];

describe.each(streams)('%s on %s of %s', (_, path, model, script, code) => {
  test(`is ${code}, asked once`, () => expectRefusals(path, model, true, script, code));
});

const wholes: [what: string, path: string, model: string, script: Script, code: string][] = [
  [
    'an error',
    CHAT,
    'on-openai',
    errorScript(200, { code: 400, message: 'The maximum context length is 8.' }),
    TOO_LONG,
  ],
  ['an error', CHAT, 'on-openai', errorScript(200, { code: 413, message: 'No.' }), INVALID],
  ['an error, translated', MESSAGES, 'on-openai', errorScript(200, FILTERED), REJECTED],
  [
    'a failed response',
    RESPONSES,
    'on-openai',
    jsonScript(200, {
      ...responseObject(),
      status: 'failed',
      output: [],
      error: FLAGGED,
    }),
    REJECTED,
  ],
  ['a blocked image', IMAGES, 'paint', errorScript(200, BLOCKED), REJECTED],
  ['a message error', MESSAGES, 'on-anthropic', jsonScript(200, { type: 'error', error: BAD }), INVALID],
];

describe.each(wholes)('a whole answer: %s on %s of %s', (_, path, model, script, code) => {
  test(`is ${code}, asked once`, () => expectRefusals(path, model, false, script, code));
});

async function expectRefusals(path: string, model: string, stream: boolean, script: Script, code: string) {
  gateway.upstream.otherwise(script);
  for (let n = 1; n <= OFTEN; n++) {
    const response = await ask(path, model, stream);
    const { error }: Answer = await response.json();
    expect([response.status, error.code]).toEqual([400, code]);
    expect(gateway.upstream.requests).toHaveLength(n);
  }
  await expectOpen(path, model);
  expect(gateway.audit()).toEqual([]);
}

test('a prompt too long goes to the fallbacks', async () => {
  gateway.answer(() => ({ pieces: ['Fine'] }));
  gateway.upstream.next(chatError(FULL));
  const response = await ask(CHAT, 'small', true);
  expect(await response.text()).toContain('"model":"on-anthropic"');
  expect(gateway.upstream.requests).toHaveLength(2);
});

test('the words are cleaned like those of any refusal', async () => {
  gateway.upstream.next(chatError({ code: 400, message: `The key ${UPSTREAM_KEY} at https://api.example/x may not.` }));
  const { error }: Answer = await (await ask(CHAT, 'on-openai', true)).json();
  expect(error.message).toMatch(/^The upstream refused the request: The key \[\w+\] at \[link\] may not\.$/);
});

const gaveUp = (finish: string, stream: boolean) => (stream ? geminiStream : geminiAnswer)({ pieces: [], finish });

/** First of those that repeat: there is a budget for it. */
test.each([false, true])('a model that gives up is asked again; stream: %p', async (stream) => {
  gateway.answer(() => ({ pieces: ['Fine'] }));
  gateway.upstream.next(gaveUp('MALFORMED_FUNCTION_CALL', stream));
  const response = await ask(CHAT, 'on-gemini', stream);
  expect(await response.text()).toContain('Fine');
  expect(gateway.upstream.requests).toHaveLength(2);
});

const failures: [what: string, path: string, model: string, script: Script][] = [
  ['an overload', MESSAGES, 'on-anthropic', messageFailed({ type: 'overloaded_error', message: 'Overloaded' })],
  [
    'our empty account',
    MESSAGES,
    'on-anthropic',
    messageFailed({ type: 'invalid_request_error', message: 'Your credit balance is too low to access the API.' }),
  ],
  ['a number of a failure', CHAT, 'on-openai', chatError({ code: 502, message: 'Bad gateway' })],
  [
    'a failure of a kind that has no number',
    RESPONSES,
    'on-openai',
    failedAs({ code: 'server_error', message: 'Oh.' }),
  ],
  ['a key of ours', CHAT, 'on-openai', chatError({ code: 401, message: 'Bad key.' })],
  ['no right of ours', CHAT, 'on-openai', chatError({ code: 403, message: 'Forbidden.' })],
  ['a route', CHAT, 'on-openai', chatError({ code: 404, message: 'No such model.' })],
  [
    'a key of ours as a bad request',
    CHAT,
    'on-gemini',
    geminiError(200, {
      code: 400,
      message: 'No.',
      details: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' }],
    }),
  ],
];

test.each(failures)('%s on %s of %s is a failure', async (_, path, model, script) => {
  gateway.upstream.otherwise(script);
  const response = await ask(path, model, true);
  const { error }: Answer = await response.json();
  expect([response.status, error.code ?? error.type]).toEqual([502, 'upstream_failed']);
  // It has not opened at once.
  await expectOpen(path, model);
});

describe.each([
  ['with a number', { message: 'Rate limit exceeded', code: 429 }],
  ['with a number in text', { message: 'Rate limit exceeded', code: '429' }],
])('too many requests, as %s', (_, error) => {
  test.each([
    ['whole', false, errorScript(200, error)],
    ['as the first event', true, chatError(error)],
  ])('%s: not asked again at once, and told as what it is', async (_how, stream, script) => {
    gateway.upstream.otherwise(script);
    const response = await ask(CHAT, 'on-openai', stream);
    const { error: told }: Answer = await response.json();
    expect([response.status, told.code]).toEqual([503, 'unavailable']);
    expect(gateway.upstream.requests).toHaveLength(1);
    await expectOpen(CHAT, 'on-openai');
  });
});

test('after the first word nothing is refused any more', async () => {
  const [role = '', word = ''] = chatStream().body ?? [];
  gateway.upstream.next(sseScript([role, word, sseText(JSON.stringify({ error: FILTERED }))]));
  gateway.upstream.otherwise(chatStream());
  const response = await ask(CHAT, 'on-openai', true);
  expect(response.status).toBe(200);
  expect(await response.text()).toContain('[DONE]');
});

test.each([
  ['OTHER', false],
  ['MALFORMED_FUNCTION_CALL', true],
])('%s from Gemini is not the channel’s fault; stream: %p', async (finish, stream) => {
  gateway.upstream.otherwise(gaveUp(finish, stream));
  for (let n = 1; n <= OFTEN; n++) {
    const response = await ask(CHAT, 'on-gemini', stream);
    expect(response.status).toBe(502);
    await response.text();
  }
  await expectOpen(CHAT, 'on-gemini');
});
