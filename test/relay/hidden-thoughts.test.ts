// A chat client that asked not to see the thoughts of a model which is reached in another format: while they are thought
// the answer has begun, and none of them must be said alike again.

import { afterEach, beforeEach, expect, test } from 'bun:test';
import { weighTokens, wholeTokens } from '../../src/kit/tokens.ts';
import { messageStream } from '../support/anthropic-messages.ts';
import { createGate, eventually } from '../support/eventually.ts';
import { costAt, type Lab, MAIN, startLab } from '../support/lab.ts';
import { createReadOnClock, type ReadOnClock } from '../support/read-on-clock.ts';
import { breakAfter, type Script } from '../support/script.ts';
import { createShiftedClock, type ShiftedClock } from '../support/shifted-clock.ts';
import { sseEvents } from '../support/sse.ts';
import { wireClient } from '../support/wire-clients.ts';

const client = wireClient('chat');
const ASKED = { stream: true, reasoning: { effort: 'high', exclude: true } };
let lab: Lab;
let readOn: ReadOnClock<ShiftedClock>;
beforeEach(async () => {
  readOn = createReadOnClock(createShiftedClock());
  lab = await startLab(client, { clock: readOn.clock, channels: { kind: 'anthropic' } });
});
afterEach(() => lab.stop());

/** How many parts of the body there are up to this one. */
const partsTo = ({ body = [] }: Script, words: string) => body.findIndex((part) => String(part).includes(words)) + 1;

async function wordsOf(response: Response): Promise<string> {
  let words = '';
  for await (const { data, json } of sseEvents(response)) {
    expect(json?.error).toBeUndefined();
    expect(data).not.toMatch(/I think|reasoning_content|reasoning_details/);
    words += json?.choices?.[0]?.delta.content ?? '';
  }
  return words;
}

test('the answer has begun with the first thought', async () => {
  const script = messageStream({ thinking: ['I think', ' long'], pieces: ['Hello', ' there'] });
  const thought = createGate();
  const begun = partsTo(script, 'I think');
  const body = script.body ?? [];
  lab.first.next({ ...script, body: [...body.slice(0, begun), thought.opened, ...body.slice(begun)] });
  const response = await lab.open(ASKED);
  expect([response.status, response.headers.get('x-svc-channel')]).toEqual([200, 'first']);
  thought.open();
  expect(await wordsOf(response)).toBe('Hello there');
  const [record] = await lab.records();
  expect(record).toMatchObject({ status: 'ok', cost_nano: costAt(MAIN, 11, 7) });
});

test('what an upstream does not count is counted here, every thought of it', async () => {
  const thinking = ['I think', ' of this and that', ' and of something else'];
  const pieces = ['Hello', ' there'];
  lab.first.next(messageStream({ thinking, pieces, usage: null }));
  expect(await wordsOf(await lab.open(ASKED))).toBe('Hello there');
  const [record] = await lab.records();
  const weight = [...thinking, ...pieces].reduce((sum, piece) => sum + weighTokens(piece), 0);
  expect(record).toMatchObject({ output_tokens: wholeTokens(weight), estimated: true });
});

test('whoever leaves while it thinks has been answered, and pays what was asked', async () => {
  const script = messageStream({ thinking: ['I think', ' long'], pieces: ['Hello'] });
  const later = createGate();
  const begun = partsTo(script, 'I think');
  const body = script.body ?? [];
  lab.first.next({ ...script, body: [...body.slice(0, begun), later.opened, ...body.slice(begun)] });
  const response = await lab.open(ASKED);
  const reader = response.body?.getReader();
  await reader?.read();
  const before = readOn.timers();
  await reader?.cancel();
  await eventually('the stream to be read on', () => readOn.timers() > before);
  later.open();
  const [record] = await lab.records();
  // All that was thought, and none of the words that came after the client had left.
  const output_tokens = wholeTokens(7 - Math.ceil(weighTokens('Hello') * 1.3));
  expect(record).toMatchObject({ status: 'client_gone', cost_nano: costAt(MAIN, 11, output_tokens), estimated: false });
});

test('another run that thinks otherwise goes on from a break', async () => {
  const script = messageStream({ thinking: ['I think', ' of this'], pieces: ['Hello', ' there'] });
  const isRead = createGate();
  lab.first.next(breakAfter(script, partsTo(script, 'Hello'), isRead.opened));
  lab.first.otherwise({ status: 500 });
  lab.second.next(messageStream({ thinking: ['I think', ' of that, and more'], pieces: ['Hello', ' there'] }));
  const response = await lab.open(ASKED);
  isRead.open();
  expect(await wordsOf(response)).toBe('Hello there');
  expect((await lab.records()).map(({ status }) => status)).toEqual(['ok']);
  expect(lab.second.requests).toHaveLength(1);
});
