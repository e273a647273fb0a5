// Admissions that wait too long for a commit are turned away, however they came; what closes a request never is.

import { expect, test } from 'bun:test';
import { createBatcher } from '../../src/store/batcher.ts';
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
