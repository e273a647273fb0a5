// The breaker by itself, under a clock that stands still: what counts as one failure, and who the probe is.

import { beforeEach, describe, expect, test } from 'bun:test';
import type { FailureKind } from '../../src/channels/breaker.ts';
import { createHealth, type Health, type Permit } from '../../src/channels/health.ts';
import { HOUR_MS } from '../../src/kit/clock.ts';
import { createManualClock, type ManualClock } from '../support/manual-clock.ts';

let clock: ManualClock;
let health: Health;
/** Of the failures. */
let kind: FailureKind;
beforeEach(() => {
  clock = createManualClock();
  health = createHealth(clock);
  kind = {};
});

function enter(repeats?: Permit, account = 'a'): Permit {
  const pass = health.tryAcquire('channel', 'model', account, repeats);
  if (!pass) throw new Error('not admitted');
  return pass;
}
const isAdmitted = (repeats?: Permit, account = 'a') =>
  health.tryAcquire('channel', 'model', account, repeats) !== undefined;
const fail = (pass: Permit, more: FailureKind = {}) => health.failure(pass, { ...kind, ...more });
const state = () => health.states()[0];

async function failTimes(times: number): Promise<void> {
  for (let n = 0; n < times; n++) {
    const pass = enter();
    await clock.advance(10);
    fail(pass);
  }
}

const BREAKERS: [what: string, kind: FailureKind][] = [
  ['the one of a single account', {}],
  ['the one for all', { concernsAll: true }],
];

describe.each(BREAKERS)('%s', (_, ofBreaker) => {
  beforeEach(() => {
    kind = ofBreaker;
  });

  describe('failures at one moment', () => {
    test('count as one in a row', async () => {
      const passes = Array.from({ length: 10 }, () => enter());
      await clock.advance(100);
      for (const pass of passes) {
        fail(pass);
        await clock.advance(1);
      }
      expect(state()).toMatchObject({ state: 'closed', failures: 1 });
      await failTimes(3);
      expect(state()?.state).toBe('closed');
      health.success(enter());
      await failTimes(4);
      expect(state()?.state).toBe('closed');
      await failTimes(1);
      expect(state()).toMatchObject({ state: 'open', why: 'consecutive_failures' });
    });

    test('a channel that is silent fails one call after the other, and each counts', async () => {
      const passes: Permit[] = [];
      for (let n = 0; n < 5; n++) {
        passes.push(enter());
        await clock.advance(1_000);
      }
      await clock.advance(30_000);
      for (const pass of passes) {
        expect(state()?.state).toBe('closed');
        fail(pass);
        await clock.advance(1_000);
      }
      expect(state()).toMatchObject({ state: 'open', why: 'consecutive_failures' });
    });

    test('twenty open it, but each of them keeps its second try, and a later call has none', async () => {
      const passes = Array.from({ length: 30 }, () => enter());
      await clock.advance(100);
      for (const pass of passes) fail(pass);
      expect(state()).toMatchObject({ state: 'open', why: 'failure_rate' });
      expect(isAdmitted()).toBe(false);
      const second = passes.map((pass) => enter(pass));
      await clock.advance(1);
      const [failed, served] = second;
      if (!failed || !served) throw new Error('no second try');
      fail(failed);
      expect(isAdmitted(failed)).toBe(false);
      health.success(served);
      expect(state()?.state).toBe('closed');
    });

    test('half of twenty within ten seconds open it, and one less does not', async () => {
      const callTwenty = async (failures: number) => {
        for (let n = 0; n < 20; n++) {
          const pass = enter();
          await clock.advance(10);
          // Never two in a row; the last one fails.
          if (n % 2 === 1 && n > 19 - 2 * failures) fail(pass);
          else health.success(pass);
        }
      };
      await callTwenty(9);
      expect(state()?.state).toBe('closed');
      await clock.advance(10_001);
      await callTwenty(10);
      expect(state()).toMatchObject({ state: 'open', why: 'failure_rate' });
    });

    test('rate limits are none in a row, and do not end one', async () => {
      await failTimes(4);
      for (let n = 0; n < 10; n++) fail(enter(), { isRateLimit: true });
      expect(state()).toMatchObject({ state: 'closed', failures: 4 });
      await failTimes(1);
      expect(state()?.state).toBe('open');
      expect(health.forceAcquire('channel', 'model', 'a')).toBeDefined();
    });
  });

  describe('a second try of a call that began before it opened', () => {
    test.each([
      ['consecutive_failures', () => failTimes(5)],
      ['key_refused', async () => fail(enter(), { opensAtOnce: true })],
    ])('waits as others do when it was opened by %s', async (why, open) => {
      const older = enter();
      await clock.advance(1);
      await open();
      expect(state()).toMatchObject({ state: 'open', why });
      expect(isAdmitted(older)).toBe(false);
    });
  });

  test('what failed before its pause does not count once it is closed again', async () => {
    const passes = Array.from({ length: 20 }, () => enter());
    await clock.advance(100);
    for (const pass of passes) fail(pass);
    expect(state()).toMatchObject({ state: 'open', why: 'failure_rate' });
    await clock.advance(5_000);
    health.success(enter());
    await failTimes(1);
    expect(state()?.state).toBe('closed');
  });

  test('reports how long it stays open, less than 15 s; a running probe has the first pause', async () => {
    const shutForMs = () => health.blockedForMs('channel', 'model', 'a');
    expect(shutForMs()).toBe(0);
    await failTimes(5);
    for (const pause of [5_000, 10_000, 14_000, 14_000]) {
      expect(shutForMs()).toBe(pause);
      await clock.advance(pause);
      expect(shutForMs()).toBe(0);
      const probe = enter();
      expect(shutForMs()).toBe(5_000);
      fail(probe);
    }
  });

  describe.each([
    { rate: 1, failsAfterMs: 0 },
    { rate: 100, failsAfterMs: 0 },
    { rate: 1, failsAfterMs: 900 },
    { rate: 100, failsAfterMs: 900 },
    { rate: 1, failsAfterMs: 60_000 },
    { rate: 100, failsAfterMs: 60_000 },
  ])('an outage of 60 s at $rate calls/s whose failures take $failsAfterMs ms', ({ rate, failsAfterMs }) => {
    /** Calls come from `now` on for so long. Answers the times of those that were let through. */
    async function callFor(ms: number, isDown: boolean): Promise<number[]> {
      const times: number[] = [];
      for (const end = clock.monotonic() + ms; clock.monotonic() < end; await clock.advance(1_000 / rate)) {
        const pass = health.tryAcquire('channel', 'model', 'a');
        if (!pass) continue;
        times.push(clock.monotonic());
        if (!isDown) health.success(pass);
        else if (failsAfterMs === 0) fail(pass);
        else clock.after(failsAfterMs, () => fail(pass));
      }
      return times;
    }

    test.each([0, 1_000, 7_300, 13_900])(
      'few probes, and traffic within 15 s of its end, %d ms later',
      async (later) => {
        for (let n = 0; n < 5; n++) fail(enter());
        const probes = await callFor(60_000 + later, true);
        expect(probes.length).toBeWithin(4, 7);
        for (const [n, at] of probes.entries()) expect(at - (probes[n - 1] ?? 0)).toBeLessThanOrEqual(15_000);
        const healedAt = clock.monotonic();
        const [first = Number.POSITIVE_INFINITY] = await callFor(15_000, false);
        expect(first - healedAt).toBeLessThanOrEqual(15_000);
        expect(state()?.state).toBe('closed');
      },
    );
  });

  test('a probe whose first word takes longer than the next probe closes it, and opens it if it breaks', async () => {
    await failTimes(5);
    await clock.advance(5_000);
    const slow = enter();
    await clock.advance(14_000);
    const next = enter();
    await clock.advance(6_000);
    health.firstToken(slow);
    expect(state()?.state).toBe('closed');
    fail(slow);
    expect(state()).toMatchObject({ state: 'open', why: 'probe_failed' });
    health.success(next);
    expect(state()?.state).toBe('open');
  });

  test('routes without a call in an hour are forgotten once there is a new one, unless their breaker is open', async () => {
    const names = () => health.states().map(({ channel, model }) => `${channel} ${model}`);
    await failTimes(5);
    const gone = health.tryAcquire('removed', 'model', 'a');
    if (gone) health.success(gone);
    await clock.advance(HOUR_MS - 1);
    health.tryAcquire('asked', 'model', 'a');
    expect(names()).toEqual(['channel model', 'removed model', 'asked model']);
    await clock.advance(1);
    health.tryAcquire('new', 'model', 'a');
    expect(names()).toEqual(['channel model', 'asked model', 'new model']);
    expect(state()).toMatchObject({ state: 'open', why: 'consecutive_failures' });
  });

  describe('a stream', () => {
    test('is no success at its first word', async () => {
      for (let n = 0; n < 5; n++) {
        const pass = enter();
        health.firstToken(pass);
        await clock.advance(10);
        fail(pass);
      }
      expect(state()).toMatchObject({ state: 'open', why: 'consecutive_failures' });
    });

    test('interrupts failures in a row at its first word', async () => {
      for (let n = 0; n < 20; n++) {
        health.firstToken(enter());
        await failTimes(1);
        await clock.advance(2_000);
      }
      expect(state()).toMatchObject({ state: 'closed', failures: 1 });
    });

    test('is one call of the many, and open ones are no reason to close', async () => {
      for (let n = 0; n < 30; n++) health.firstToken(enter());
      for (let n = 0; n < 4; n++) fail(enter());
      expect(state()?.state).toBe('closed');
    });

    test('as a probe lets others in at its first word, and doubles the pause if it breaks later', async () => {
      await failTimes(5);
      await clock.advance(5_000);
      const probe = enter();
      expect(isAdmitted()).toBe(false);
      health.firstToken(probe);
      expect(state()).toMatchObject({ state: 'closed', failures: 5 });
      expect(isAdmitted()).toBe(true);
      fail(probe);
      expect(state()).toMatchObject({ state: 'open', why: 'probe_failed', retryAt: clock.monotonic() + 10_000 });
    });

    test('as a probe closes it for good when it ended well', async () => {
      await failTimes(5);
      await clock.advance(5_000);
      const probe = enter();
      health.firstToken(probe);
      health.success(probe);
      await failTimes(4);
      expect(state()?.state).toBe('closed');
      await failTimes(1);
      expect(state()?.retryAt).toBe(clock.monotonic() + 5_000);
    });

    test('that its client left says nothing: the next failure opens it again', async () => {
      await failTimes(5);
      await clock.advance(5_000);
      const probe = enter();
      health.firstToken(probe);
      health.forget(probe);
      expect(isAdmitted()).toBe(true);
      await failTimes(1);
      expect(state()?.retryAt).toBe(clock.monotonic() + 10_000);
    });
  });

  describe('a call that began before it opened', () => {
    let older: Permit;
    let probe: Permit;
    beforeEach(async () => {
      older = enter();
      await failTimes(5);
      await clock.advance(5_000);
      probe = enter();
    });

    test('fails: that is not the probe’s failure', () => {
      fail(older);
      expect(state()?.state).toBe('probing');
      expect(isAdmitted()).toBe(false);
      health.success(probe);
      expect(state()?.state).toBe('closed');
    });

    test('ends well: that says nothing of what the channel does now', async () => {
      health.success(older);
      expect(state()?.state).toBe('probing');
      fail(probe);
      expect(state()?.retryAt).toBe(clock.monotonic() + 10_000);
      health.success(older);
      expect(isAdmitted()).toBe(false);
    });

    test('is left by its client: no second probe goes out', () => {
      health.forget(older);
      expect(isAdmitted()).toBe(false);
      health.forget(probe);
      expect(isAdmitted()).toBe(true);
    });
  });
});

describe('failures that a request can provoke', () => {
  async function failFor(...accounts: string[]): Promise<void> {
    for (const account of accounts) {
      const pass = enter(undefined, account);
      await clock.advance(10);
      fail(pass);
    }
  }
  const isOpenFor = (account: string) => health.blockedForMs('channel', 'model', account) > 0;

  test('of one account shut the route for this account alone', async () => {
    await failFor('a', 'a', 'a', 'a', 'a');
    expect([isOpenFor('a'), isOpenFor('b')]).toEqual([true, false]);
    expect(isAdmitted(undefined, 'a')).toBe(false);
    expect(isAdmitted(undefined, 'b')).toBe(true);
    expect(state()?.state).toBe('closed');
  });

  test('of one account, however many and whoever succeeds between, never shut it for others', async () => {
    for (let n = 0; n < 500; n++) {
      const pass = health.tryAcquire('channel', 'model', 'a');
      await clock.advance(50);
      if (pass) fail(pass);
      expect(isOpenFor('b')).toBe(false);
      if (n % 10 === 0) health.success(enter(undefined, 'b'));
    }
  });

  test('of one account are not in a row if another one is served between', async () => {
    for (let n = 0; n < 10; n++) {
      await failFor('a');
      await clock.advance(600);
      health.success(enter(undefined, 'b'));
    }
    expect(isOpenFor('a')).toBe(false);
  });

  test('of two accounts shut it for all: five in a row', async () => {
    await failFor('a', 'b', 'a', 'b');
    expect(isOpenFor('c')).toBe(false);
    await failFor('a');
    expect(isOpenFor('c')).toBe(true);
    expect(state()).toMatchObject({ state: 'open', why: 'consecutive_failures' });
  });

  test('of two accounts shut it for all: half of twenty', async () => {
    for (let n = 0; n < 20; n++) {
      const pass = enter(undefined, n % 4 === 1 ? 'a' : 'b');
      await clock.advance(10);
      if (n % 2 === 1) fail(pass);
      else health.success(pass);
    }
    expect(isOpenFor('c')).toBe(true);
    expect(state()).toMatchObject({ state: 'open', why: 'failure_rate' });
  });

  test('of two accounts, however many, do not shut it while a third one is served', async () => {
    for (let n = 0; n < 400; n++) {
      const pass = health.tryAcquire('channel', 'model', n % 2 === 0 ? 'a' : 'b');
      await clock.advance(50);
      if (pass) fail(pass);
      expect(isOpenFor('c')).toBe(false);
      if (n % 7 === 0) health.success(enter(undefined, 'c'));
    }
    expect([isOpenFor('a'), isOpenFor('b')]).toEqual([true, true]);
    expect(state()?.state).toBe('closed');
  });

  test('of two accounts shut it three seconds after a third one was last served', async () => {
    health.success(enter(undefined, 'c'));
    await failFor('a', 'b', 'a', 'b', 'a', 'b');
    expect(isOpenFor('c')).toBe(false);
    await clock.advance(3_000);
    await failFor('d');
    expect(isOpenFor('c')).toBe(true);
  });

  test('what another account met before the row, or before the ten seconds, does not count', async () => {
    await failFor('b');
    health.success(enter(undefined, 'c'));
    await failFor('a', 'a', 'a', 'a', 'a');
    expect(isOpenFor('c')).toBe(false);
  });

  test('a probe that fails for one account alone is given to another at once, and that account waits', async () => {
    await failFor('a', 'b', 'a', 'b', 'a');
    await clock.advance(5_000);
    await failFor('c');
    expect([isOpenFor('c'), isAdmitted(undefined, 'c')]).toEqual([true, false]);
    health.success(enter(undefined, 'd'));
    for (const account of 'abcd') expect(isOpenFor(account)).toBe(false);
  });

  test('an account that provokes the failure of every probe does not keep the route shut', async () => {
    await failFor('a', 'b', 'a', 'b', 'a');
    for (let n = 0; n < 100; n++) {
      await clock.advance(100);
      const pass = health.tryAcquire('channel', 'model', 'a');
      if (pass) fail(pass);
    }
    expect(isAdmitted(undefined, 'c')).toBe(true);
  });

  test.each([1, 100])('an outage of 60 s for 50 accounts at %d calls/s has at most 12 probes', async (rate) => {
    await failFor('a', 'b', 'a', 'b', 'a');
    const end = clock.monotonic() + 60_000;
    let probes = 0;
    for (let n = 0; clock.monotonic() < end; n++, await clock.advance(1_000 / rate)) {
      const pass = health.tryAcquire('channel', 'model', `account ${n % 50}`);
      if (!pass) continue;
      probes++;
      fail(pass);
    }
    expect(probes).toBeWithin(5, 13);
    const healedAt = clock.monotonic();
    for (let n = 0; ; n++, await clock.advance(1_000 / rate)) {
      const pass = health.tryAcquire('channel', 'model', `account ${n % 50}`);
      if (!pass) continue;
      health.success(pass);
      break;
    }
    expect(clock.monotonic() - healedAt).toBeLessThanOrEqual(15_000);
  });

  test('a lost connection counts for all, whoever met it', async () => {
    kind = { concernsAll: true };
    await failFor('a', 'a', 'a', 'a', 'a');
    expect(isOpenFor('b')).toBe(true);
  });

  test('a thousand accounts of a route are remembered at most', async () => {
    const failOnce = (account: string) => {
      for (let n = 0; n < 3; n++) health.success(enter(undefined, 'well'));
      fail(enter(undefined, account));
    };
    await failFor('first', 'first', 'first', 'first', 'first');
    for (let n = 0; n < 999; n++) failOnce(`account ${n}`);
    expect(isOpenFor('first')).toBe(true);
    failOnce('one more');
    expect(isOpenFor('first')).toBe(false);
  });
});
