// A client that reads slowly slows the upstream, and is not taken for a silent or a slow upstream; one that stops reading
// has hung up after a minute, and so has one that holds its stream up until the time of the request is over.

import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { type Clock, MINUTE_MS } from '../../src/kit/clock.ts';
import { runTask, type Task } from '../../src/kit/timer-lists.ts';
import { createGate, eventually, type Gate } from '../support/eventually.ts';
import { type Lab, startLab, TRIAL } from '../support/lab.ts';
import { IS_LONG_RUN } from '../support/long-run.ts';
import { isBytes, type Part, type Script } from '../support/script.ts';
import { createShiftedClock, type ShiftedClock } from '../support/shifted-clock.ts';
import { type SlowClient, startSlowClient } from '../support/slow-client.ts';
import { WIRE_CLIENTS } from '../support/wire-clients.ts';

const MIB = 1024 * 1024;
/** In large events: what is tested is how many bytes are read, not how fast events are. */
const WORDS = ' word'.repeat(10_000);
const LARGE_WORDS = 5 * MIB;
const TOTAL_MS = 600_000;
const WHOLE_MS = 3_600_000;
/** More output than any test here sends: an upstream that goes beyond its bound is stopped there. */
const ENDLESS = {
  context_tokens: 1_000_000_000,
  max_output_tokens: 1_000_000_000,
  price: { input: 10, output: 0.001 },
};
/** Less than the minute that passes in a second: a slow machine is no silent upstream. */
const UNHURRIED = { timeouts: { first_token_ms: 30_000, idle_ms: 30_000 } };
/** Less than one attempt has, more than anything that a call waits for besides. */
const LONG_MS = 300_000;
const LAST_WORDS = ' and no more';
let lab: Lab;
afterEach(() => lab.stop());

/** The real clock, but a minute of waiting passes in a second. */
function hurriedClock(): Clock {
  const clock = createShiftedClock();
  return { ...clock, after: (ms, task) => clock.after(ms >= 60_000 ? ms / 60 : ms, task) };
}

/** Time jumps when the test says so, and long limits end with it; other timers run as ever. */
function limitClock(): ShiftedClock {
  const clock = createShiftedClock();
  const limits = new Map<Task, number>();
  return {
    ...clock,
    after(ms, task) {
      if (ms < LONG_MS) return clock.after(ms, task);
      limits.set(task, clock.monotonic() + ms);
      return () => limits.delete(task);
    },
    skip(ms) {
      clock.skip(ms);
      const due = [...limits].filter(([, at]) => at <= clock.monotonic());
      for (const [task] of due) {
        limits.delete(task);
        runTask(task);
      }
    },
  };
}

/** Time passes, and the node's lease with it. */
function pass(clock: ShiftedClock, ms: number): void {
  clock.skip(ms);
  lab.gateway.sql('UPDATE leases SET expires_at = expires_at + ? RETURNING node_id', ms);
}

describe.each(WIRE_CLIENTS)('$name', (client) => {
  /** Words without end, and how many bytes of them have left. */
  function flood(): { script: Script; sent(): number } {
    const parts = (client.stream({ pieces: ['Hello', WORDS] }).body ?? []).filter(isBytes).map(String);
    const at = parts.findIndex((part) => part.includes(WORDS));
    const word = parts[at] ?? '';
    let sent = 0;
    function* endless() {
      for (;;) {
        sent += word.length;
        yield word;
      }
    }
    return { script: { ...client.stream(), body: parts.slice(0, at), rest: endless() }, sent: () => sent };
  }
  /** More words than all the buffers on the way have room for; then it waits, and ends as it should. */
  function longAnswer(gate: Gate): { script: Script; sent(): number } {
    const parts = (client.stream({ pieces: ['Hello', WORDS, LAST_WORDS] }).body ?? []).filter(isBytes).map(String);
    const at = parts.findIndex((part) => part.includes(WORDS));
    const word = parts[at] ?? '';
    let sent = 0;
    function* words(): Generator<Part> {
      while (sent < 32 * MIB) {
        sent += word.length;
        yield word;
      }
      yield parts[at + 1] ?? '';
      yield gate.opened;
      yield* parts.slice(at + 2);
    }
    return { script: { ...client.stream(), body: parts.slice(0, at), rest: words() }, sent: () => sent };
  }
  const call = (): SlowClient =>
    startSlowClient({
      port: lab.gateway.port,
      ...client.call({ model: 'main', stream: true, max_tokens: 500_000_000 }),
      key: lab.account.key,
    });
  async function untilStill(sent: () => number): Promise<number> {
    let before = -1;
    let still = 0;
    return eventually(
      'the upstream to be paused',
      async () => {
        await Bun.sleep(25);
        still = sent() === before ? still + 1 : 0;
        before = sent();
        return still >= 6 ? before : undefined;
      },
      60_000,
    );
  }

  test('the upstream is paused, its idle limit with it, and goes on when the client does', async () => {
    const clock = limitClock();
    lab = await startLab(client, { main: ENDLESS, clock, channels: { timeouts: { idle_ms: LONG_MS } } });
    const { script, sent } = flood();
    lab.first.next(script);
    const slow = call();
    await eventually('the first words', () => slow.text().includes(' word'));
    slow.pause();
    const paused = await untilStill(sent);
    // Mostly in the buffers of the system, which an endless upstream would have filled long ago.
    expect(paused).toBeLessThan(80 * MIB);
    const seen = await lab.first.request(0);
    pass(clock, 1.3 * LONG_MS);
    slow.resume();
    await eventually('more from the upstream', () => sent() > paused + MIB);
    expect(seen.abortedAt).toBeUndefined();
    expect(slow.text()).not.toContain('"error"');
    slow.hangUp();
    const [record] = await eventually('the record', async () => {
      const records = await lab.records();
      return records.length > 0 && records;
    });
    expect(record.status).toBe('client_gone');
  });

  test('a minute without progress counts as hung up: left, closed, and paid for what had left', async () => {
    lab = await startLab(client, { main: ENDLESS, clock: hurriedClock(), channels: UNHURRIED });
    const { script, sent } = flood();
    lab.first.next(script);
    const slow = call();
    await eventually('the first words', () => slow.text().includes(' word'));
    slow.pause();
    await untilStill(sent);
    const seen = await lab.first.request(0);
    await eventually('the upstream to be left', () => seen.abortedAt);
    const [record] = await eventually('the record', async () => {
      const records = await lab.records();
      return records.length > 0 && records;
    });
    expect(record).toMatchObject({ status: 'client_gone', estimated: true });
    expect(record.output_tokens).toBeGreaterThan(0);
    expect(await lab.balance()).toBe(TRIAL - BigInt(record.cost_nano));
    expect(BigInt(record.cost_nano)).toBe(BigInt(record.input_tokens) * 10_000n + BigInt(record.output_tokens));
    slow.resume();
    await slow.closed;
    // No last chunk: the answer was broken off.
    expect(slow.text()).not.toEndWith('\r\n0\r\n\r\n');
  });

  // The rest does not depend on the format of the answer.
  if (client !== WIRE_CLIENTS[0] && !IS_LONG_RUN) return;

  test('a shutdown does not wait for a client that does not read, and costs it nothing', async () => {
    lab = await startLab(client, { main: ENDLESS });
    const { script, sent } = flood();
    lab.first.next(script);
    const slow = call();
    await eventually('the first words', () => slow.text().includes(' word'));
    slow.pause();
    await untilStill(sent);
    const stopping = performance.now();
    await lab.gateway.gateway.drain(0);
    expect(performance.now() - stopping).toBeLessThan(10_000);
    const [row] = lab.gateway.sql<{ status: string; cost_nano: bigint }>('SELECT status, cost_nano FROM usage_records');
    expect(row).toEqual({ status: 'unavailable', cost_nano: 0n });
    const [window] = lab.gateway.sql<{ slots: string }>(
      'SELECT slots FROM windows WHERE window_id = ?',
      `paid:${lab.account.accountId}`,
    );
    expect(window).toEqual({ slots: '[]' });
    expect(lab.gateway.audit()).toEqual([]);
    slow.hangUp();
  });

  test('what did not leave before the client was given up is not paid', async () => {
    lab = await startLab(client, { main: ENDLESS, clock: hurriedClock(), channels: UNHURRIED });
    // More than all the buffers on the way have room for, in one piece: none of it counts until all of it has left.
    lab.first.next(client.stream({ pieces: ['word '.repeat(LARGE_WORDS)] }));
    const slow = call();
    slow.pause();
    const [record] = await eventually(
      'the record',
      async () => {
        const records = await lab.records();
        return records.length > 0 && records;
      },
      60_000,
    );
    expect(record).toMatchObject({ status: 'client_gone', output_tokens: 0, cost_nano: '0' });
    expect(await lab.balance()).toBe(TRIAL);
    slow.hangUp();
  });

  describe('held up by its client', () => {
    let clock: ShiftedClock;
    let gate: Gate;
    let slow: SlowClient;
    beforeEach(async () => {
      clock = limitClock();
      gate = createGate();
      lab = await startLab(client, { main: ENDLESS, clock, channels: { timeouts: { total_ms: TOTAL_MS } } });
      const { script, sent } = longAnswer(gate);
      lab.first.next(script);
      slow = call();
      await eventually('the first words', () => slow.text().includes(' word'));
      slow.pause();
      await untilStill(sent);
    });
    afterEach(() => slow.hangUp());

    async function readAll(): Promise<void> {
      slow.resume();
      await eventually('the last words', () => slow.text().includes(LAST_WORDS));
    }
    async function closed() {
      const [record] = await eventually('the record', async () => {
        const records = await lab.records();
        return records.length > 0 && records;
      });
      const { attempts } = await lab.gateway.get(`/api/receipts/${record.request_id}`, lab.account.key);
      const [{ channel, outcome }] = attempts;
      expect(await lab.balance()).toBe(TRIAL - BigInt(record.cost_nano));
      return { record, channel, outcome };
    }
    async function expectLeft(): Promise<void> {
      const { record, channel, outcome } = await closed();
      expect(record).toMatchObject({ status: 'client_gone', estimated: true });
      expect(BigInt(record.cost_nano)).toBeGreaterThan(0n);
      // It did nothing wrong.
      expect([channel, outcome]).toEqual(['first', 'ok']);
      await slow.closed;
      expect(slow.text()).not.toContain('"error"');
      expect(slow.text()).not.toEndWith('\r\n0\r\n\r\n');
    }

    test('that time is not the attempt’s: it goes on, and is paid as any other', async () => {
      pass(clock, TOTAL_MS + LONG_MS);
      await readAll();
      gate.open();
      const { record, outcome } = await closed();
      expect([record.status, outcome]).toEqual(['ok', 'ok']);
      expect(BigInt(record.cost_nano)).toBeGreaterThan(0n);
    });

    test('until the time of the request is over: it has hung up, and pays what it got', async () => {
      pass(clock, WHOLE_MS);
      const seen = await lab.first.request(0);
      await eventually('the upstream to be left', () => seen.abortedAt);
      slow.resume();
      await expectLeft();
    });

    test('for a while, and then the upstream sends nothing for the time of an attempt: it is silent, and nothing is charged', async () => {
      pass(clock, 2 * MINUTE_MS);
      await readAll();
      pass(clock, TOTAL_MS);
      pass(clock, TOTAL_MS);
      const { record, outcome } = await closed();
      expect([record.status, outcome]).toEqual(['upstream_failed', 'idle']);
      expect(record.cost_nano).toBe('0');
      await eventually('the error', () => slow.text().includes('"error"'));
    });
  });
});
