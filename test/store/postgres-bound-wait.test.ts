// How long a caller waits for a commit, and what becomes of an answer that came too late.

import { describe, expect, test } from 'bun:test';
import type { Input, OperationName, Result } from '../../src/store/operations.ts';
import { boundWait, type Submit } from '../../src/store/postgres/bound-wait.ts';
import { ACTORS } from '../../src/store/rows.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { free, paid, redeeming, releasing, sampleKey, settling } from './suite/samples.ts';

interface Submitted {
  name: OperationName;
  input: Input<OperationName>;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

const ACCOUNT = { accountId: 'acc_1', keyId: 'key_1' };
const ADMITTED = {
  ok: true,
  held: 1n,
  granted: 1,
  balance: 1n,
  allowance: { limit: 1, used: 1, remaining: 0, resetsAt: 0 },
};

function createBench(away?: string) {
  const clock = createManualClock();
  const submitted: Submitted[] = [];
  const submit: Submit = (name, input) =>
    new Promise((resolve, reject) => {
      submitted.push({ name, input, resolve: (result) => resolve(result as Result<typeof name>), reject });
    });
  const bounded = boundWait(submit, clock, () => away);
  return { clock, submitted, bounded };
}

const codeOf = (error: { code: string }) => error.code;

test('an answer in time is passed on, and leaves no timer', async () => {
  const { clock, submitted, bounded } = createBench();
  const answer = bounded.commit('admit', paid(ACCOUNT));
  submitted[0]?.resolve(ADMITTED);
  expect(await answer).toEqual(ADMITTED as Result<'admit'>);
  await clock.advance(500);
  expect(clock.pending()).toBe(0);
});

test('after five seconds the caller hears that the store is away', async () => {
  const { clock, bounded } = createBench();
  const answer = bounded.commit('redeem', redeeming('acc_1', 'hash')).catch(codeOf);
  await clock.advance(5_500);
  expect(await answer).toBe('unavailable' as never);
});

test('an admission that came too late is taken back, as often as it takes', async () => {
  const { clock, submitted, bounded } = createBench();
  const input = paid(ACCOUNT);
  const answer = bounded.commit('admit', input).catch(codeOf);
  await clock.advance(5_500);
  expect(await answer).toBe('unavailable' as never);
  submitted[0]?.resolve(ADMITTED);
  await clock.advance(0);
  expect(submitted[1]).toMatchObject({ name: 'undo', input: { requestId: input.requestId } });
  submitted[1]?.reject(new Error('still away'));
  await clock.advance(1_000);
  expect(submitted[2]).toMatchObject({ name: 'undo', input: { requestId: input.requestId } });
  submitted[2]?.resolve({ state: 'closed' });
  await clock.advance(10_000);
  expect(submitted).toHaveLength(3);
});

test('a free admission that came too late gives its address its slot back', async () => {
  const { clock, submitted, bounded } = createBench();
  const limits = {
    perMinute: 6,
    perDayZero: 100,
    perDayPositive: 300,
    inFlight: 4,
    perAddress: { address: 'address_1', perDay: 1 },
  };
  const input = free(ACCOUNT, { charge: { free: true, limits } });
  const answer = bounded.commit('admit', input).catch(codeOf);
  await clock.advance(5_500);
  await answer;
  submitted[0]?.resolve(ADMITTED);
  await clock.advance(0);
  expect(submitted[1]).toMatchObject({
    name: 'undo',
    input: { requestId: input.requestId, freeAddress: 'address_1' },
  });
});

test('a refusal that came too late needs nothing', async () => {
  const { clock, submitted, bounded } = createBench();
  const answer = bounded.commit('admit', paid(ACCOUNT)).catch(codeOf);
  await clock.advance(5_500);
  await answer;
  submitted[0]?.resolve({ ok: false, reason: 'lease_lost' });
  await clock.advance(10_000);
  expect(submitted).toHaveLength(1);
});

test('while the database is known to be away nothing is submitted but the ends of requests', async () => {
  const { submitted, bounded } = createBench('gone');
  expect(await bounded.commit('admit', paid(ACCOUNT)).catch((error) => error)).toMatchObject({
    code: 'unavailable',
    details: { internal: 'store: gone' },
  });
  void bounded.commit('settle', settling(paid(ACCOUNT), 1n));
  void bounded.commit('release', releasing(paid(ACCOUNT), true));
  expect(submitted.map(({ name }) => name)).toEqual(['settle', 'release']);
});

test('settle and release wait as long as it takes', async () => {
  const { clock, submitted, bounded } = createBench();
  const answer = bounded.commit('settle', settling(paid(ACCOUNT), 1n));
  await clock.advance(3_600_000);
  submitted[0]?.resolve({ state: 'late' });
  expect(await answer).toEqual({ state: 'late' });
});

describe('what an operator asked for', () => {
  const log = (actor: string) => ({ at: 0, actor, action: 'accounts.credit', subject: 'acc_1', detail: {} });
  const credit = { accountId: 'acc_1', amount: 1n, reference: 'ref_1', reason: 'a gift', at: 0 };
  const key = sampleKey('acc_1');

  test.each([ACTORS.commandLine, ACTORS.token])('waits as long as it takes, by %s', async (actor) => {
    const { clock, submitted, bounded } = createBench();
    const credited = bounded.commit('credit', { ...credit, log: log(actor) });
    const made = bounded.commit('createKey', { key, at: 0, log: log(actor) });
    await clock.advance(3_600_000);
    submitted[0]?.resolve({ ok: true, balance: 2n });
    submitted[1]?.resolve({ ok: false, reason: 'not_found' });
    expect(await credited).toEqual({ ok: true, balance: 2n });
    expect(await made).toEqual({ ok: false, reason: 'not_found' });
  });

  test('is refused while the database is known to be away: then it is not even asked', async () => {
    const { submitted, bounded } = createBench('gone');
    const answer = bounded.commit('credit', { ...credit, log: log(ACTORS.commandLine) }).catch(codeOf);
    expect(await answer).toBe('unavailable' as never);
    expect(submitted).toEqual([]);
  });

  test.each([
    ['a customer', undefined],
    ['the server itself', log(ACTORS.server)],
  ])('the same by %s waits five seconds', async (_, by) => {
    const { clock, bounded } = createBench();
    const answer = bounded.commit('createKey', { key, at: 0, log: by }).catch(codeOf);
    await clock.advance(5_500);
    expect(await answer).toBe('unavailable' as never);
  });
});
