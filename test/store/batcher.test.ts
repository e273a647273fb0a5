// Admissions that wait too long for a commit are turned away, however they came; what closes a request never is, and is
// waited for.

import { expect, test } from 'bun:test';
import { setImmediate } from 'node:timers/promises';
import { createBatcher } from '../../src/store/batcher.ts';
import type { Decided } from '../../src/store/book/decide.ts';
import type { Operation } from '../../src/store/operations.ts';
import { createGate, eventually } from '../support/eventually.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { paid, settling } from './suite/samples.ts';

const ONE_BATCH = 128;
const ACCOUNT = { accountId: 'acc_1', keyId: 'key_1' };

/** Commits do not end before the gate is open. */
function slowBatcher() {
  const clock = createManualClock();
  const gate = createGate();
  const batches: number[] = [];
  const commit = async (operations: readonly Operation[]) => {
    batches.push(operations.length);
    await gate.opened;
    return operations.map(() => ({ ok: true, result: { state: 'late' } }) as const);
  };
  const batcher = createBatcher({ clock, commit });
  const endOf = (submitted: Promise<unknown>) =>
    submitted.then(
      () => 'committed',
      (error) => error.code,
    );
  const call = paid(ACCOUNT);
  return {
    clock,
    gate,
    batches,
    batcher,
    admit: () => endOf(batcher.submit('admit', paid(ACCOUNT))),
    settle: () => endOf(batcher.submit('settle', settling(call, 1n))),
  };
}

test('a burst that came at once while nothing was under way', async () => {
  const { clock, gate, batches, batcher, admit, settle } = slowBatcher();
  const first = Array.from({ length: ONE_BATCH }, admit);
  const late = [admit(), settle(), admit()];
  await eventually('the first batch', () => batches.length === 1);
  await clock.advance(249);
  expect(batcher.depth()).toBe(3);
  await clock.advance(1);
  expect(batcher.depth()).toBe(1);
  gate.open();
  expect(await Promise.all(late)).toEqual(['unavailable', 'committed', 'unavailable']);
  expect(new Set(await Promise.all(first))).toEqual(new Set(['committed']));
  expect(batches).toEqual([ONE_BATCH, 1]);
});

test('those that came during a commit', async () => {
  const { clock, gate, batches, batcher, admit, settle } = slowBatcher();
  const first = admit();
  await eventually('the first batch', () => batches.length === 1);
  const early = [admit(), settle()];
  await clock.advance(100);
  const later = admit();
  await clock.advance(150);
  expect(batcher.depth()).toBe(2);
  // It is looked again once those that waited on have lost their patience, too.
  await clock.advance(250);
  expect(batcher.depth()).toBe(1);
  gate.open();
  expect(await Promise.all([first, ...early, later])).toEqual(['committed', 'unavailable', 'committed', 'unavailable']);
});

test('it is idle once what is under way has ended, too', async () => {
  const { gate, batches, batcher, settle } = slowBatcher();
  const settled = settle();
  await eventually('the batch', () => batches.length === 1);
  expect(batcher.depth()).toBe(0);
  let isIdle = false;
  const idle = batcher.idle().then(() => {
    isIdle = true;
  });
  // Whoever is idle already has said so by then.
  await setImmediate();
  expect(isIdle).toBe(false);
  gate.open();
  await idle;
  expect(await settled).toBe('committed');
});

test('what the database had no room for may be asked for again, what breaks a rule may not', async () => {
  const answers: Decided[] = [
    { ok: false, error: 'database or disk is full', unavailable: true },
    { ok: false, error: 'a cost is not negative' },
  ];
  const batcher = createBatcher({ clock: createManualClock(), commit: () => Promise.resolve(answers) });
  const submitted = answers.map(() => batcher.submit('settle', settling(paid(ACCOUNT), 1n)));
  expect((await Promise.allSettled(submitted)).map((end) => end.status === 'rejected' && end.reason.code)).toEqual([
    'unavailable',
    'internal_error',
  ]);
});

test('of more than it can remember it takes none, and says so', async () => {
  const { gate, batches, batcher, settle } = slowBatcher();
  const first = settle();
  await eventually('the first batch', () => batches.length === 1);
  const waiting = Array.from({ length: 20_000 }, settle);
  expect(await settle()).toBe('unavailable');
  expect(batcher.depth()).toBe(waiting.length);
  gate.open();
  expect(new Set(await Promise.all([first, ...waiting]))).toEqual(new Set(['committed']));
});
