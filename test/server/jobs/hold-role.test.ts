// A role has one holder: another node takes it when the holder gives it up, falls silent, or is a process that is gone.

import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { holdRole, type Role } from '../../../src/server/jobs/hold-role.ts';
import { openSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';
import type { Store } from '../../../src/store/store.ts';
import { eventually } from '../../support/eventually.ts';
import { createManualClock, type ManualClock } from '../../support/manual-clock.ts';

const RENEW_MS = 3_000;

let folder: string;
let store: Store;
let clock: ManualClock;
let roles: Role[] = [];
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gateway-role-'));
  clock = createManualClock();
  store = await openSqliteStore({ file: join(folder, 'gateway.sqlite'), clock, unsafeNoSync: true });
  roles = [];
});
afterEach(async () => {
  for (const role of roles) role.stop();
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

interface HoldOptions {
  isAlive?: boolean;
  isOneMachine?: boolean;
  /** Whether commits of this node succeed. */
  mayWrite?(): boolean;
}

async function hold(
  host: string,
  pid: number,
  { isAlive = true, isOneMachine = false, mayWrite = () => true }: HoldOptions = {},
): Promise<Role> {
  const node = { nodeId: `node_${host}_${pid}`, host, pid };
  const commit: Store['commit'] = (...args) =>
    mayWrite() ? store.commit(...args) : Promise.reject(new Error('this node cannot write'));
  const tools = {
    store: { ...store, commit },
    clock,
    log: () => {},
    node,
    isOneMachine,
    isProcessAlive: () => isAlive,
  };
  const role = await holdRole('role:test', tools);
  roles.push(role);
  return role;
}

/** Time goes by, with every renewal that it brings. */
async function pass(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += RENEW_MS) {
    const value = await store.read.role('role:test');
    await clock.advance(RENEW_MS);
    await eventually('it is renewed', async () => (await store.read.role('role:test')) !== value);
  }
}

test('the first node has it, for as long as it lives', async () => {
  const first = await hold('a', 1);
  const second = await hold('b', 1);
  expect([first.isHeld(), second.isHeld()]).toEqual([true, false]);
  await pass(60_000);
  expect([first.isHeld(), second.isHeld()]).toEqual([true, false]);
});

test('given up, it is taken with the next look', async () => {
  const first = await hold('a', 1);
  const second = await hold('b', 1);
  first.stop();
  await first.end();
  expect(first.isHeld()).toBe(false);
  await clock.advance(RENEW_MS);
  await eventually('the second has it', () => second.isHeld());
});

test('silent for long enough, it is taken, and the first does not believe in it any more', async () => {
  const first = await hold('a', 1);
  const second = await hold('b', 1);
  first.stop();
  for (let waited = 0; waited < 4; waited++) {
    await clock.advance(RENEW_MS);
    await store.read.role('role:test');
  }
  expect(first.isHeld()).toBe(false);
  expect(second.isHeld()).toBe(false);
  await eventually('the second has it', async () => {
    await clock.advance(RENEW_MS);
    return second.isHeld();
  });
});

test('a process of this host that is gone has it no more', async () => {
  const first = await hold('a', 1);
  first.stop();
  const second = await hold('a', 2, { isAlive: false });
  expect(second.isHeld()).toBe(true);
});

test('on one machine, a holder keeps it through a time in which it could not renew it', async () => {
  const first = await hold('a', 1, { isOneMachine: true });
  clock.step(60_000);
  expect(first.isHeld()).toBe(true);
});

test('on one machine, a holder whose renewals fail for long learns that another has taken it', async () => {
  let mayWrite = true;
  const first = await hold('a', 1, { isOneMachine: true, mayWrite: () => mayWrite });
  mayWrite = false;
  const second = await hold('a', 2, { isOneMachine: true });
  await eventually('the second has it', async () => {
    await clock.advance(RENEW_MS);
    return second.isHeld();
  });
  mayWrite = true;
  await eventually('the first does not believe in it any more', async () => {
    await clock.advance(RENEW_MS);
    return !first.isHeld();
  });
  expect(second.isHeld()).toBe(true);
});
