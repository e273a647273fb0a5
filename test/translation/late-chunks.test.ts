// Gemini may say why it ended before its last words. They reach every client, and the stream ends once with what it comes
// to, however the upstream leaves: by its end, by silence, by an error, or by a broken connection.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { type ClientGateway, startClientGateway } from '../support/client-gateway.ts';
import { createGate, eventually, eventuallyInSteps } from '../support/eventually.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { sseScript } from '../support/openai-chat.ts';
import type { Part, Script } from '../support/script.ts';
import { geminiChunk } from './gemini-replies.ts';
import { openaiChunk } from './openai-replies.ts';
import { CLIENTS, type ClientName, requestOf, UPSTREAMS } from './sides.ts';

const NEVER = new Promise<never>(() => {});
const NAMES = Object.keys(CLIENTS) as ClientName[];
const usage = (output: number) => ({ promptTokenCount: 4, candidatesTokenCount: output });
const chunk = (text: string, finish: string, output: number) =>
  UPSTREAMS.gemini.frame(geminiChunk(text === '' ? [] : [{ text }], finish, usage(output)));
/** Each with a reason. */
const ONE = chunk('One', 'STOP', 1);
const TWO = chunk(' two.', 'STOP', 2);
const PING = 'event: ping\ndata: {}\n\n';
const ERROR = UPSTREAMS.gemini.frame({ error: { code: 500, message: 'no' } });

const dataOf = (frame: string) => frame.slice('data: '.length).trim();
const streamOf = (body: readonly Part[], rest: Partial<Script> = {}): Script => ({
  ...sseScript([]),
  framing: 'chunked',
  body,
  ...rest,
});

/** Stands still until everything was said: a machine that does so for a while is no silence of the upstream. */
const clock = createManualClock();
const STEP_MS = 20;
let gateway: ClientGateway;
/** When the last answer was paid, which takes the store a while in which no time shall pass. */
let settledAt: number | undefined;
beforeAll(async () => {
  gateway = await startClientGateway({ clock });
  const { store } = gateway.gateway;
  const { commit } = store;
  store.commit = (name, input) => {
    if (name === 'settle') settledAt = clock.monotonic();
    return commit(name, input);
  };
});
beforeEach(() => gateway.upstream.reset());
afterAll(() => gateway.stop());

interface Saying {
  script: Script;
  /** From then on time passes: of a stream that ends by silence alone. */
  isSaid: Promise<void>;
  /** What the client has read so far. */
  onText?(text: string): void;
}

async function ask(client: ClientName, { script, isSaid, onText = () => {} }: Saying) {
  const { key } = await gateway.register();
  gateway.upstream.next(script);
  gateway.upstream.otherwise({ status: 500, body: ['{}'] });
  const { path, body } = requestOf(client, CLIENTS[client].body({ model: 'on-gemini', stream: true }));
  let isOver = false;
  const answer = async () => {
    const decoder = new TextDecoder();
    let text = '';
    for await (const bytes of (await gateway.call(path, { key, body })).body ?? []) {
      text += decoder.decode(bytes, { stream: true });
      onText(text);
    }
    isOver = true;
    return text;
  };
  const text = answer();
  await Promise.race([isSaid, text]);
  await eventuallyInSteps('the end', async () => {
    if (!isOver) await clock.advance(STEP_MS);
    return isOver;
  });
  const told = CLIENTS[client].readStream(await text);
  const record = await eventually('the usage record', async () => (await gateway.get('/api/usage', key)).data[0]);
  return { told, record };
}

/** Only the last keep-alive is lost with the connection. */
const RESET = { cut: { after: ONE.length + TWO.length + PING.length, by: 'rst' } } as const;

/** Some of them go on when the client has read all words. */
const WAYS: [way: string, script: Script | ((isRead: Promise<void>) => Script)][] = [
  ['the end', streamOf([ONE, TWO])],
  ['the end, after a pause between the two', streamOf([ONE, 150, TWO])],
  ['the end, after keep-alives', streamOf([ONE, PING, TWO, PING])],
  ['the end mark of others', streamOf([ONE, TWO, 'data: [DONE]\n\n', NEVER])],
  ['silence', streamOf([ONE, TWO, NEVER])],
  ['an error', streamOf([ONE, TWO, ERROR])],
  ['an error in one list with the last words', streamOf([ONE, `data: [${dataOf(TWO)},${dataOf(ERROR)}]\n\n`])],
  ['a flood in one event', streamOf([ONE, TWO, 50, 'data: '], { rest: Array(40).fill('x'.repeat(1024 * 1024)) })],
  ['a reset', (isRead) => streamOf([ONE, TWO, isRead, PING, NEVER], RESET)],
];

describe.each(NAMES)('%s', (client) => {
  test.each(WAYS)('%s', async (way, script) => {
    const isRead = createGate();
    const { told, record } = await ask(client, {
      script: typeof script === 'function' ? script(isRead.opened) : script,
      isSaid: way === 'silence' ? isRead.opened : NEVER,
      onText: (text) => text.includes(' two.') && isRead.open(),
    });
    expect(told).toMatchObject({ text: 'One two.', ends: 'end' });
    expect(record).toMatchObject({ status: 'ok', estimated: false, input_tokens: 4, output_tokens: 2 });
  });
});

test('what comes after the finish is waited for half a second in all, and not anew after the usage', async () => {
  const { key } = await gateway.register();
  const isTime = createGate();
  const frame = (value: unknown) => UPSTREAMS.openai.frame(value);
  const told = [openaiChunk({ content: 'One' }), openaiChunk({}, 'stop')].map(frame).join('');
  const counted = frame({ ...openaiChunk({}), choices: [], usage: { prompt_tokens: 4, completion_tokens: 2 } });
  const isCounted = createGate();
  function* silence(): Generator<Part> {
    isCounted.open();
    yield NEVER;
  }
  gateway.upstream.next(streamOf([told, isTime.opened, counted], { rest: silence() }));
  const body = CLIENTS.messages.body({ model: 'on-openai', stream: true });
  let text = '';
  const read = (async () => {
    for await (const bytes of (await gateway.call(CLIENTS.messages.path, { key, body })).body ?? []) {
      text += Buffer.from(bytes).toString();
    }
  })();
  await eventually('the words', () => text.includes('One'));
  const before = clock.monotonic();
  settledAt = undefined;
  await clock.advance(200);
  isTime.open();
  await isCounted.opened;
  const ended = await eventually('the settlement', async () => {
    if (settledAt === undefined) await clock.advance(STEP_MS);
    return settledAt;
  });
  expect(ended - before).toBeWithin(500, 620);
  await read;
  expect(CLIENTS.messages.readStream(text)).toMatchObject({ text: 'One', ends: 'end', complete: true });
});

test('words that come after the finish have half a second each', async () => {
  const { key } = await gateway.register();
  const gates = [createGate(), createGate()] as const;
  const parts = [ONE, gates[0].opened, chunk(' two', 'STOP', 2), gates[1].opened, chunk(' three.', 'STOP', 3)];
  gateway.upstream.next(streamOf(parts));
  const body = CLIENTS.chat.body({ model: 'on-gemini', stream: true });
  let text = '';
  const read = (async () => {
    for await (const bytes of (await gateway.call(CLIENTS.chat.path, { key, body })).body ?? []) {
      text += Buffer.from(bytes).toString();
    }
  })();
  for (const [index, word] of ['One', ' two'].entries()) {
    await eventually('the words', () => text.includes(word));
    await clock.advance(400);
    gates[index]?.open();
  }
  await read;
  expect(CLIENTS.chat.readStream(text)).toMatchObject({ text: 'One two three.', complete: true });
});

test.each(['messages', 'responses'] as const)('%s: no words and silence is an empty answer', async (client) => {
  const isSaid = createGate();
  function* silence(): Generator<Part> {
    isSaid.open();
    yield NEVER;
  }
  const script = streamOf([chunk('', 'MAX_TOKENS', 0)], { rest: silence() });
  const { told, record } = await ask(client, { script, isSaid: isSaid.opened });
  expect(told).toMatchObject({ text: '', ends: 'length' });
  expect(record).toMatchObject({ status: 'ok' });
});
