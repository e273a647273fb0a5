// A channel that is late: the next one is asked beside it, whichever answers first serves, and the other one is stopped. The
// times are those of a clock that the test moves.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import type { Answer } from '../support/answer.ts';
import { createGate, eventually } from '../support/eventually.ts';
import { NO_JITTER, startTestGateway, type TestAccount, type TestGateway } from '../support/gateway.ts';
import { createManualClock, type ManualClock } from '../support/manual-clock.ts';
import { chatAnswer, chatStream } from '../support/openai-chat.ts';
import { whilePassing } from '../support/pass-time.ts';
import { cutAt, type Script } from '../support/script.ts';
import { readSse, textOf } from '../support/sse.ts';
import { type ChannelSet, type TwoChannels, twoChannels } from '../support/two-channels.ts';
import { type ScriptedUpstream, startUpstream } from '../support/upstream.ts';

const STALLED = cutAt(chatStream(), 0, 'stall');
const REFUSED: Script = {
  status: 400,
  headers: { 'content-type': 'application/json' },
  body: ['{"error":{"message":"no such tool","type":"invalid_request_error"}}'],
};

/** Before a retry, as the upstream tells it. */
const PAUSE_MS = 4_000;

let clock: ManualClock;
/** How many have begun. */
let pauses = 0;
let first: ScriptedUpstream;
let second: ScriptedUpstream;
let channels: TwoChannels;
let gateway: TestGateway;
let account: TestAccount;
let set: ChannelSet;

function useGateway(model: Record<string, unknown> = {}, guards: Record<string, number> = {}): void {
  beforeAll(async () => {
    const manual = createManualClock();
    const after: ManualClock['after'] = (ms, task) => {
      if (ms === PAUSE_MS) pauses++;
      return manual.after(ms, task);
    };
    clock = { ...manual, after };
    second = await startUpstream();
    channels = twoChannels(second.baseUrl);
    gateway = await startTestGateway({
      clock,
      random: NO_JITTER,
      document: (standard) => {
        const document = channels.document(standard);
        const models = document.models.map((one) =>
          /^(both|alone)/.test(String(one.id)) ? { ...one, ...model } : one,
        );
        return { ...document, models, guards: { ...document.guards, ...guards } };
      },
    });
    first = gateway.upstream;
  });
  beforeEach(async () => {
    first.reset();
    second.reset();
    account = await gateway.register();
    set = channels.take();
  });
  afterAll(async () => {
    await gateway.stop();
    await second.close();
  });
}

const answerOf = (text: string, stream: boolean): Script =>
  stream ? chatStream({ pieces: [text] }) : chatAnswer({ pieces: [text] });

/** Silent until it is let go. */
function later(text: string, stream: boolean): { script: Script; speak: () => void } {
  const gate = createGate();
  const script = answerOf(text, stream);
  return { script: { ...script, body: [gate.opened, ...(script.body ?? [])] }, speak: gate.open };
}

async function textFrom(response: Response, stream: boolean): Promise<string> {
  if (stream) return textOf(await readSse(response));
  const { choices }: Answer = await response.json();
  return choices[0].message.content;
}

async function attemptsOf(response: Response): Promise<string[]> {
  const path = `/api/receipts/${response.headers.get('x-request-id')}`;
  return eventually('the receipt', async () => {
    const { attempts }: Answer = await gateway.get(path, account.key);
    return attempts?.map(({ channel, outcome }: Answer) => `${channel === set.first ? 'first' : 'second'} ${outcome}`);
  });
}

function lossesOf(reason: string): { channel: string; amount: bigint }[] {
  return gateway.sql(
    'SELECT channel, amount_nano AS amount FROM losses WHERE reason = ? AND account_id = ?',
    reason,
    account.accountId,
  );
}

const ask = (body: Record<string, unknown>) => gateway.chat(account.key, { model: set.both, ...body });

/** The clock stands still until the upstream was asked. */
async function lateBy(ms: number, from = first): Promise<void> {
  await from.request(0);
  await clock.advance(ms);
}

describe.each([
  ['a stream', true, 8_000],
  ['a whole answer', false, 28_000],
])('%s by default', (_, stream, lateMs) => {
  useGateway();

  test('the next channel is asked beside a late one, and serves if it is first', async () => {
    first.otherwise(STALLED);
    second.next(answerOf('From the second', stream));
    const asking = ask({ stream });
    await lateBy(lateMs - 1_000);
    expect(second.requests).toHaveLength(0);
    await clock.advance(1_000);
    const response = await whilePassing(clock, asking);
    expect(response.headers.get('x-svc-channel')).toBe(set.second);
    expect(await textFrom(response, stream)).toBe('From the second');
    expect(await attemptsOf(response)).toEqual(['first late', 'second ok']);
    const seen = await first.request(0);
    await eventually('the late one to be stopped', () => seen.abortedAt);
    const [loss, ...more] = lossesOf('hedge');
    expect(loss?.channel).toBe(set.first);
    expect(loss?.amount).toBeGreaterThan(0n);
    expect(more).toEqual([]);
    expect(gateway.audit()).toEqual([]);
  });

  test('the late one serves if it is first after all, and the other is stopped', async () => {
    const { script, speak } = later('From the first', stream);
    first.next(script);
    second.otherwise(STALLED);
    const asking = ask({ stream });
    await lateBy(lateMs);
    const beside = await second.request(0);
    const before = await first.request(0);
    expect(before.abortedAt).toBeUndefined();
    speak();
    const response = await whilePassing(clock, asking);
    expect(response.headers.get('x-svc-channel')).toBe(set.first);
    expect(await textFrom(response, stream)).toBe('From the first');
    expect(await attemptsOf(response)).toEqual(['first ok', 'second outrun']);
    await eventually('the other to be stopped', () => beside.abortedAt);
    expect(lossesOf('hedge').map(({ channel }) => channel)).toEqual([set.second]);
    const { data } = await gateway.get('/api/usage', account.key);
    expect(data).toHaveLength(1);
  });

  test('a refusal of the second does not end the call while the first may still answer', async () => {
    const { script, speak } = later('From the first', stream);
    first.next(script);
    second.next(REFUSED);
    const asking = ask({ stream });
    await lateBy(lateMs);
    await second.request(0);
    speak();
    const response = await whilePassing(clock, asking);
    expect(await textFrom(response, stream)).toBe('From the first');
    // Whether its refusal is read before the first speaks is left to the network.
    const beside = expect.stringMatching(/^second (request_refused|outrun)$/);
    expect(await attemptsOf(response)).toEqual(['first ok', beside]);
  });

  test('it is returned once the first has failed, too', async () => {
    const { script, speak } = later('', stream);
    first.next({ ...REFUSED, body: [...(script.body ?? []).slice(0, 1), ...(REFUSED.body ?? [])] });
    second.next(REFUSED);
    const asking = ask({ stream });
    await lateBy(lateMs);
    await second.request(0);
    speak();
    const response = await whilePassing(clock, asking);
    expect(response.status).toBe(400);
    expect(await gateway.get('/api/me', account.key)).toMatchObject({ balance_ntd: 1, held_nano: '0' });
  });

  test('a first that breaks while the second works: the second serves, and nothing else is asked', async () => {
    const gate = createGate();
    first.next({ ...STALLED, cut: { after: 'head', by: 'rst', when: gate.opened } });
    const { script, speak } = later('From the second', stream);
    second.next(script);
    const asking = ask({ stream });
    await lateBy(lateMs);
    await second.request(0);
    gate.open();
    await clock.advance(500);
    expect(first.requests).toHaveLength(1);
    speak();
    const response = await whilePassing(clock, asking);
    expect(await textFrom(response, stream)).toBe('From the second');
    // Whether its end is noticed before the second speaks is left to the network.
    expect(await attemptsOf(response)).toEqual([expect.stringMatching(/^first (closed_silent|late)$/), 'second ok']);
  });

  test('a client that leaves ends both, and pays for one at most', async () => {
    first.otherwise(STALLED);
    second.otherwise(STALLED);
    const leaving = new AbortController();
    const asking = gateway.chat(account.key, { model: set.both, stream }, { signal: leaving.signal }).catch(() => {});
    await lateBy(lateMs);
    const [before, beside] = [await first.request(0), await second.request(0)];
    leaving.abort();
    await asking;
    // A whole answer is waited for, because only its report says what it took.
    await whilePassing(
      clock,
      eventually('both to be stopped', () => before.abortedAt && beside.abortedAt),
    );
    await eventually('the close', async () => {
      const { data } = await gateway.get('/api/usage', account.key);
      return data[0]?.status === 'client_gone';
    });
    expect(lossesOf('client_gone').map(({ channel }) => channel)).toEqual([set.first]);
    expect(lossesOf('hedge').map(({ channel }) => channel)).toEqual([set.second]);
    expect(await gateway.get('/api/me', account.key)).toMatchObject({ held_nano: '0' });
  });

  test('without another channel it is waited for', async () => {
    const { script, speak } = later('At last', stream);
    first.next(script);
    const asking = gateway.chat(account.key, { model: set.alone, stream });
    await lateBy(50_000);
    speak();
    const response = await whilePassing(clock, asking);
    expect(await textFrom(response, stream)).toBe('At last');
    expect(await attemptsOf(response)).toEqual(['first ok']);
  });
});

describe('beside a late one', () => {
  useGateway();

  test('the winner does not wait for the pause before a retry of the other', async () => {
    const { script, speak } = later('From the first', true);
    first.next(script);
    second.next({ status: 429, headers: { 'retry-after': String(PAUSE_MS / 1_000) }, body: ['{}'] });
    const before = pauses;
    const asking = ask({ stream: true });
    await lateBy(8_000);
    await eventually('the pause', () => pauses > before);
    speak();
    // The clock stands still.
    const response = await asking;
    expect(textOf(await readSse(response))).toBe('From the first');
    expect((await attemptsOf(response))[0]).toBe('first ok');
    expect(second.requests).toHaveLength(1);
  });

  test('a refusal is returned ten seconds later, if the first stays silent', async () => {
    first.otherwise(STALLED);
    second.next(REFUSED);
    const asking = ask({});
    await lateBy(28_000);
    await second.request(0);
    const since = clock.monotonic();
    const response = await whilePassing(clock, asking);
    expect(response.status).toBe(400);
    expect(clock.monotonic() - since).toBeLessThan(20_000);
  });

  test('no third channel is tried while two attempts run', async () => {
    first.otherwise(STALLED);
    const { script, speak } = later('From the second', true);
    second.next(script);
    const asking = ask({ stream: true });
    await lateBy(8_000);
    await second.request(0);
    await clock.advance(20_000);
    speak();
    const response = await whilePassing(clock, asking);
    expect(textOf(await readSse(response))).toBe('From the second');
    expect([first.requests.length, second.requests.length]).toEqual([1, 1]);
  });
});

describe('what is late', () => {
  useGateway();

  async function serveAfter(ms: number): Promise<void> {
    const { script, speak } = later('Hello', true);
    const place = first.requests.length;
    first.next(script);
    const asking = ask({ stream: true });
    await first.request(place);
    await clock.advance(ms);
    speak();
    await readSse(await asking);
  }

  test('is five times the median of the route, once five answers are known', async () => {
    for (let n = 0; n < 5; n++) await serveAfter(3_000);
    first.otherwise(STALLED);
    second.otherwise(answerOf('From the second', true));
    const asking = ask({ stream: true });
    await first.request(5);
    await clock.advance(14_000);
    expect(second.requests).toHaveLength(0);
    await clock.advance(1_000);
    expect(textOf(await readSse(await asking))).toBe('From the second');
  });

  test('of a whole answer is never sooner than its output bound may take', async () => {
    for (let n = 0; n < 5; n++) {
      first.next(answerOf('Short', false));
      await (await ask({})).text();
    }
    first.otherwise(STALLED);
    second.otherwise(answerOf('From the second', false));
    const asking = ask({});
    await first.request(5);
    await clock.advance(27_000);
    expect(second.requests).toHaveLength(0);
    await clock.advance(1_000);
    expect(await textFrom(await asking, false)).toBe('From the second');
  });

  test('is later for a long prompt that nothing is known of', async () => {
    first.otherwise(STALLED);
    second.otherwise(answerOf('From the second', true));
    const asking = ask({ stream: true, messages: [{ role: 'user', content: 'word '.repeat(15_000) }] });
    await lateBy(8_500);
    expect(second.requests).toHaveLength(0);
    await clock.advance(3_000);
    expect(textOf(await readSse(await asking))).toBe('From the second');
  });
});

describe.each([
  ['hedge: off', { hedge: 'off' }, {}],
  ['an account that has cost as much as the guard of a day allows', {}, { loss_per_account_day: 0 }],
])('%s', (_, model, guards) => {
  useGateway(model, guards);

  test('a late stream is left, and the next channel asked in its place', async () => {
    first.otherwise(STALLED);
    second.next(answerOf('From the second', true));
    const asking = ask({ stream: true });
    await lateBy(8_000);
    const response = await whilePassing(clock, asking);
    expect(textOf(await readSse(response))).toBe('From the second');
    expect(await attemptsOf(response)).toEqual(['first late', 'second ok']);
    expect(lossesOf('hedge')).toEqual([]);
  });

  test('a whole answer is waited for: it may be nearly done', async () => {
    const { script, speak } = later('At last', false);
    first.next(script);
    const asking = ask({});
    await lateBy(100_000);
    expect(second.requests).toHaveLength(0);
    speak();
    expect(await textFrom(await whilePassing(clock, asking), false)).toBe('At last');
  });
});

describe('hedge: 2000', () => {
  useGateway({ hedge: 2_000 });

  test.each([true, false])('the next one is asked after 2 s, stream %p', async (stream) => {
    first.otherwise(STALLED);
    second.next(answerOf('From the second', stream));
    const asking = ask({ stream });
    await lateBy(2_000);
    const response = await whilePassing(clock, asking);
    expect(await textFrom(response, stream)).toBe('From the second');
    expect(await attemptsOf(response)).toEqual(['first late', 'second ok']);
  });
});
