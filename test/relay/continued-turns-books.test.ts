// An answer that Claude paused, and a next turn that reports nothing, fails or is left: what the turns before reported is never
// lost, and what nobody pays is booked.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { eventScript, streamedTurn, type Turn } from '../support/anthropic-turns.ts';
import { createGate, eventually } from '../support/eventually.ts';
import { costAt, type Lab, MAIN, startLab } from '../support/lab.ts';
import { CHAT, FOUND, NEVER, SEARCH, shown, text, written } from '../support/paused-turns.ts';
import { bodyLength, cutAt, type Part, type Script } from '../support/script.ts';

const messages = [{ role: 'user', content: 'Tell me of the birds that rise early. '.repeat(100) }];
/** Most of its output is a search, which the client does not see. */
const FIRST: Turn = {
  content: [text('I search.'), SEARCH, FOUND],
  stop: 'pause_turn',
  usage: { input_tokens: 1_000, output_tokens: 50 },
};
const WORDLESS: Turn = { ...FIRST, content: [SEARCH, FOUND] };
const NEXT: Turn = { content: [text(' Early ones.')], usage: { input_tokens: 1_100, output_tokens: 5 } };
const REPORTED = BigInt(costAt(MAIN, 1_000, 50));
/** The next turn has at least the prompt again, and what was said. */
const NEXT_INPUT = BigInt(costAt(MAIN, 1_050, 0));
const HANGING: Script = { headers: { 'content-type': 'text/event-stream' }, framing: 'chunked', body: [NEVER] };
const UNANSWERED: Script = { ...HANGING, cut: { after: 'head', by: 'stall' } };
const REFUSED: Script = { status: 400, body: ['{}'] };

let lab: Lab;
beforeAll(async () => {
  lab = await startLab(CHAT, { routes: ['first'], first: { timeouts: { idle_ms: 1_000, total_ms: 3_000 } } });
});
beforeEach(() => lab.first.reset());
afterAll(() => lab.stop());

interface Booked {
  reason: string;
  amount_nano: bigint;
}

const lossesOf = (id: string, on = lab) =>
  on.gateway.sql<Booked>('SELECT reason, amount_nano FROM losses WHERE request_id = ?', id);

async function leave(on: Lab, stream: boolean, turns: readonly [Turn, Script]) {
  const [first, next] = turns;
  on.first.next(written(first, stream), next);
  const leaving = new AbortController();
  const opened = on.open({ stream, messages }, leaving.signal).catch(() => undefined);
  if (stream) await (await opened)?.body?.getReader().read();
  const seen = await on.first.request(1);
  leaving.abort();
  await opened;
  await eventually('the upstream to be left', () => seen.abortedAt !== undefined);
  const [record] = await on.records();
  return record;
}

describe.each([false, true])('streamed: %p', (stream) => {
  test.each([
    ['nothing', null, false],
    ['zeros', { input_tokens: 0, output_tokens: 0 }, false],
    ['less than nothing', { input_tokens: 1_100, output_tokens: -5 }, true],
    ['an absurd number', { input_tokens: 2_000_000_000, output_tokens: 5 }, true],
  ])('a next turn that reports %s: the first is paid as reported', async (_, usage, isAlarm) => {
    lab.first.next(written(FIRST, stream), written({ ...NEXT, usage }, stream));
    const asked = await lab.ask({ stream, messages });
    expect(shown(CHAT, stream, asked)).toMatchObject({ text: 'I search. Early ones.', finish: 'stop' });
    const { record } = asked;
    // The prompt was read twice.
    expect(record).toMatchObject({ status: 'ok', estimated: true, input_tokens: 2_000 });
    expect(record.output_tokens).toBeGreaterThanOrEqual(50);
    expect(record.cost_nano).toBe(costAt(MAIN, 2_000, record.output_tokens));
    const alarms = lab.gateway.sql<{ fields: string }>("SELECT fields FROM alarms WHERE name = 'usage_invalid'");
    expect(alarms.some(({ fields }) => fields.includes(record.request_id))).toBe(isAlarm);
  });

  test('a pause without a word that fails: what it reported is a loss', async () => {
    lab.first.next(written(WORDLESS, stream), REFUSED);
    lab.first.otherwise(REFUSED);
    const { status, record } = await lab.ask({ stream, messages });
    expect(status).toBeGreaterThanOrEqual(400);
    expect(record.cost_nano).toBe('0');
    expect(lossesOf(record.request_id)).toEqual([{ reason: 'no_answer', amount_nano: REPORTED }]);
  });

  test('pauses without a word that use up the output: both reports are a loss, and nothing else', async () => {
    const usage = { input_tokens: 1_100, output_tokens: 150 };
    lab.first.next(written(WORDLESS, stream), written({ ...WORDLESS, usage }, stream));
    lab.first.otherwise(REFUSED);
    const { record } = await lab.ask({ stream, messages });
    expect(record.cost_nano).toBe('0');
    const amount_nano = BigInt(costAt(MAIN, 2_100, 200));
    expect(lossesOf(record.request_id)).toEqual([{ reason: 'no_answer', amount_nano }]);
  });

  test.each([
    ['has been asked', UNANSWERED],
    ['has said nothing', HANGING],
  ])('a client that leaves when the next turn %s', async (_, next) => {
    const record = await leave(lab, stream, [FIRST, next]);
    const [loss, ...others] = lossesOf(record.request_id);
    expect(others).toEqual([]);
    expect(loss?.reason).toBe('client_gone');
    if (stream) {
      expect(record).toMatchObject({ status: 'client_gone', estimated: false, cost_nano: REPORTED.toString() });
      expect(loss?.amount_nano).toBeGreaterThanOrEqual(NEXT_INPUT);
    } else {
      expect(record).toMatchObject({ status: 'client_gone', cost_nano: '0' });
      expect(loss?.amount_nano).toBeGreaterThanOrEqual(REPORTED + NEXT_INPUT);
    }
  });
});

test('a client that has used up its free losses pays for the turns that it left', async () => {
  const guarded = await startLab(CHAT, { routes: ['first'], guards: { loss_per_account_day: 0 } });
  try {
    const record = await leave(guarded, false, [FIRST, HANGING]);
    expect(record.status).toBe('client_gone');
    expect(BigInt(record.cost_nano)).toBeGreaterThanOrEqual(REPORTED + NEXT_INPUT);
  } finally {
    await guarded.stop();
  }
});

describe('a stream whose next turn', () => {
  /** Failures in a row would close the channel. */
  beforeEach(async () => {
    lab.first.next(streamedTurn({ content: [text('Hi.')] }));
    expect((await lab.ask({ stream: true })).answer.complete).toBe(true);
    lab.first.reset();
  });

  const PING = 'event: ping\ndata: {"type":"ping"}\n\n';
  function* pings(): Iterable<Part> {
    for (;;) yield* [PING, 50];
  }
  const ERROR = eventScript([{ type: 'error', error: { type: 'overloaded_error', message: 'busy' } }]);

  test.each<[string, Script, string]>([
    ['says nothing', HANGING, 'idle'],
    ['is not answered', UNANSWERED, 'idle'],
    ['is cut off', cutAt(streamedTurn(NEXT), 5, 'rst', 20), 'network_error'],
    ['is empty', { ...HANGING, body: [] }, 'cut'],
    ['is an error', ERROR, 'error_event'],
    ['only shows signs of life', { ...HANGING, body: [], rest: pings() }, 'idle'],
  ])('%s: the first is paid as reported, and the next is a loss', async (_, next, outcome) => {
    lab.first.next(streamedTurn(FIRST), next);
    const asked = await lab.ask({ stream: true, messages });
    expect(shown(CHAT, true, asked)).toMatchObject({ text: 'I search.', finish: 'length' });
    const { record, attempts } = asked;
    expect(record).toMatchObject({ status: 'ok', estimated: false, cost_nano: REPORTED.toString() });
    expect(attempts).toEqual([['first', outcome]]);
    const [loss, ...others] = lossesOf(record.request_id);
    expect(others).toEqual([]);
    expect(loss?.reason).toBe('failed_attempt');
    expect(loss?.amount_nano).toBeGreaterThanOrEqual(NEXT_INPUT);
  });

  test.each([
    ['has no start', streamedTurn(NEXT), 'stop'],
    ['is the end of a pause', streamedTurn({ ...NEXT, content: [], stop: 'pause_turn' }), 'length'],
  ])('%s: the first is paid as reported', async (_, script, finish) => {
    lab.first.next(streamedTurn(FIRST), { ...script, body: (script.body ?? []).slice(1) });
    const asked = await lab.ask({ stream: true, messages });
    expect(shown(CHAT, true, asked).finish).toBe(finish);
    expect(lab.first.requests).toHaveLength(2);
    expect(asked.record).toMatchObject({ estimated: true, input_tokens: 2_000, output_tokens: 50 });
  });
});

test('a client that leaves a stream before its first word pays nothing, and all turns are a loss', async () => {
  lab.first.next(streamedTurn(WORDLESS), HANGING);
  const leaving = new AbortController();
  const opened = lab.open({ stream: true, messages }, leaving.signal).catch(() => undefined);
  await lab.first.request(1);
  leaving.abort();
  await opened;
  const [record] = await lab.records();
  expect(record).toMatchObject({ status: 'client_gone', cost_nano: '0' });
  const [loss, ...others] = lossesOf(record?.request_id);
  expect(others).toEqual([]);
  expect(loss?.reason).toBe('client_gone');
  expect(loss?.amount_nano).toBeGreaterThanOrEqual(REPORTED + NEXT_INPUT);
});

test.each([false, true])('a gateway that stops in the next turn books all turns, streamed: %p', async (stream) => {
  const stopped = await startLab(CHAT, { routes: ['first'] });
  try {
    stopped.first.next(written(FIRST, stream), HANGING);
    const opened = stopped.open({ stream, messages });
    await stopped.first.request(1);
    await stopped.gateway.gateway.drain(20);
    await (await opened).text();
    const rows = stopped.gateway.sql<Booked>('SELECT reason, amount_nano FROM losses');
    expect(new Set(rows.map(({ reason }) => reason))).toEqual(new Set(['gateway_cut']));
    const amount = rows.reduce((sum, { amount_nano }) => sum + amount_nano, 0n);
    expect(amount).toBeGreaterThanOrEqual(REPORTED + NEXT_INPUT);
    const [record] = stopped.gateway.sql<{ cost_nano: bigint }>('SELECT cost_nano FROM usage_records');
    expect(record?.cost_nano).toBe(0n);
  } finally {
    await stopped.stop();
  }
});

describe('beside another channel', () => {
  let pair: Lab;
  beforeAll(async () => {
    pair = await startLab(CHAT, { main: { hedge: 100 } });
  });
  beforeEach(() => {
    for (const upstream of [pair.first, pair.second]) upstream.reset();
  });
  afterAll(() => pair.stop());

  test('an answer that is outrun in its next turn is a loss with all its turns', async () => {
    const gate = createGate();
    const late = written(FIRST, false);
    pair.first.next({ ...late, framing: 'chunked', body: [gate.opened, ...(late.body ?? [])] }, HANGING);
    const other = written(NEXT, false);
    const second = createGate();
    pair.second.next({ ...other, framing: 'chunked', body: [second.opened, ...(other.body ?? [])] });
    const asked = pair.ask({ messages });
    await pair.second.request(0);
    gate.open();
    await pair.first.request(1);
    second.open();
    const { record, headers } = await asked;
    expect(headers.get('x-svc-channel')).toBe('second');
    expect(record.cost_nano).toBe(costAt(MAIN, 1_100, 5));
    const [loss, ...others] = lossesOf(record.request_id, pair);
    expect(others).toEqual([]);
    expect(loss?.reason).toBe('hedge');
    expect(loss?.amount_nano).toBeGreaterThanOrEqual(REPORTED + NEXT_INPUT);
  });

  test.each([
    ['before it begins', 0],
    ['in the middle', 3],
  ])('a stream whose next turn breaks %s is not begun anew', async (_, parts) => {
    const next = streamedTurn(NEXT);
    const begun = (next.body ?? []).slice(0, parts);
    pair.first.next(streamedTurn(FIRST), cutAt(next, bodyLength({ body: begun }) + 1, 'rst', 20));
    const asked = await pair.ask({ stream: true, messages });
    expect(shown(CHAT, true, asked).finish).toBe('length');
    expect(asked.headers.get('x-svc-channel')).toBe('first');
    expect(asked.attempts.map(([channel]) => channel)).toEqual(['first']);
    expect(pair.second.requests).toHaveLength(0);
  });
});
