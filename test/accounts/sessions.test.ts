// Sessions: what a cookie opens, for how long, and what ends it.

import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { endSession, endSessions, readSession } from '../../src/accounts/sign-in/sessions.ts';
import { signInWithKey } from '../../src/accounts/sign-in/sign-in.ts';
import { openSignInBench, type SignInBench } from './sign-in-tools.ts';

const MINUTE = 60_000;

let bench: SignInBench;
let account: { accountId: string; keyId: string; key: string };
beforeEach(async () => {
  bench = await openSignInBench();
  account = await bench.register();
});
afterEach(() => bench.close());

const read = (cookie: string | undefined) => readSession(bench.tools, cookie, bench.tools.clock.now());
async function signIn(key = account.key, cookie?: string): Promise<string> {
  const opened = await signInWithKey(bench.tools, key, { address: 'here', cookie });
  return opened?.cookie ?? '';
}
/** Writes of this session's time so far. */
const seenAt = async () => (await bench.tools.store.read.login(account.accountId))?.sessions[0]?.seenAt;

test.each([
  ['nothing', undefined],
  ['an empty one', ''],
  ['no secret', 'acc_1'],
  ['a short secret', 'acc_1.short'],
  ['another secret', `acc_1.${'A'.repeat(43)}`],
  ['nobody’s', `acc_9999.${'A'.repeat(43)}`],
  ['a NUL', `acc_1\u0000.${'A'.repeat(43)}`],
])('a cookie with %s is no session', async (_, cookie) => {
  await signIn();
  expect(await read(cookie)).toBeUndefined();
});

test('a session ends when the text of the key that opened it does', async () => {
  const { tools } = bench;
  const rotate = (hash: string, graceMs: number) => {
    const at = tools.clock.now();
    const { accountId, keyId } = account;
    return tools.store.commit('rotateKey', { accountId, keyId, hash, last4: 'abcd', graceUntil: at + graceMs, at });
  };
  const cookie = await signIn();
  await rotate('the next text', 5 * MINUTE);
  expect(await read(cookie)).toBeDefined();
  const inGrace = await signIn();
  await tools.clock.advance(5 * MINUTE);
  expect(await read(cookie)).toBeUndefined();
  expect(await read(inGrace)).toBeUndefined();
});

test('a key that is rotated without grace ends its sessions at once', async () => {
  const { tools } = bench;
  const { accountId, keyId } = account;
  const cookie = await signIn();
  const at = tools.clock.now();
  await tools.store.commit('rotateKey', { accountId, keyId, hash: 'the next text', last4: 'abcd', graceUntil: at, at });
  expect(await read(cookie)).toBeUndefined();
});

test('a secret is good for its own account only', async () => {
  const other = await bench.register();
  const cookie = await signIn();
  expect(await read(cookie.replace(account.accountId, other.accountId))).toBeUndefined();
});

test('signing in again ends the session that the browser had', async () => {
  const first = await signIn();
  const second = await signIn(account.key, first);
  expect(second).not.toBe(first);
  expect(await read(first)).toBeUndefined();
  expect(await read(second)).toBeDefined();
});

describe('time', () => {
  test('half an hour without a visit ends it', async () => {
    const cookie = await signIn();
    await bench.tools.clock.advance(30 * MINUTE - 1);
    expect(await read(cookie)).toBeDefined();
    await bench.tools.clock.advance(30 * MINUTE);
    expect(await read(cookie)).toBeUndefined();
  });

  test('twelve hours end it, however often it is seen', async () => {
    const cookie = await signIn();
    for (let minutes = 20; minutes < 12 * 60; minutes += 20) {
      await bench.tools.clock.advance(20 * MINUTE);
      expect(await read(cookie)).toBeDefined();
    }
    await bench.tools.clock.advance(20 * MINUTE);
    expect(await read(cookie)).toBeUndefined();
  });

  test('a visit is written down once a minute at most', async () => {
    const cookie = await signIn();
    const opened = await seenAt();
    await bench.tools.clock.advance(MINUTE - 1);
    await read(cookie);
    expect(await seenAt()).toBe(opened ?? 0);
    await bench.tools.clock.advance(1);
    await read(cookie);
    expect(await seenAt()).toBe((opened ?? 0) + MINUTE);
  });
});

describe('a session ends', () => {
  test('with its key when that is revoked, and only that one', async () => {
    const { accountId } = account;
    const extra = await bench.addKey(accountId);
    const [mine, others] = [await signIn(extra.key), await signIn()];
    const at = bench.tools.clock.now();
    await bench.tools.store.commit('revokeKey', { accountId, keyId: extra.keyId, at });
    expect(await read(mine)).toBeUndefined();
    expect(await read(others)).toBeDefined();
  });

  test('with its key when that expires', async () => {
    const expiresAt = bench.tools.clock.now() + 5 * MINUTE;
    const { key } = await bench.addKey(account.accountId, { manage: false, expiresAt });
    const cookie = await signIn(key);
    await bench.tools.clock.advance(5 * MINUTE - 1);
    expect(await read(cookie)).toBeDefined();
    await bench.tools.clock.advance(1);
    expect(await read(cookie)).toBeUndefined();
  });

  test('with a key above its key when that expires', async () => {
    const { accountId } = account;
    const expiresAt = bench.tools.clock.now() + MINUTE;
    const top = await bench.addKey(accountId, { manage: false, delegate: true, expiresAt });
    const below = { manage: false, parentId: top.keyId, dailyBudget: 1n };
    const cookie = await signIn((await bench.addKey(accountId, below)).key);
    expect(await read(cookie)).toBeDefined();
    await bench.tools.clock.advance(MINUTE);
    expect(await read(cookie)).toBeUndefined();
  });

  test('and manages no longer when its key does not', async () => {
    const { accountId } = account;
    const { key, keyId } = await bench.addKey(accountId);
    const cookie = await signIn(key);
    const at = bench.tools.clock.now();
    await bench.tools.store.commit('changeKey', { accountId, keyId, changes: { manage: false }, at });
    expect(await read(cookie)).toMatchObject({ canManage: false });
  });

  test('by signing out, here or everywhere', async () => {
    const owner = { accountId: account.accountId, keyId: account.keyId, canManage: true };
    const [here, there, elsewhere] = [await signIn(), await signIn(), await signIn()];
    await endSession(bench.tools, there);
    await endSession(bench.tools, undefined);
    await endSession(bench.tools, 'no cookie');
    expect(await read(there)).toBeUndefined();
    expect(await read(here)).toBeDefined();
    await endSessions(bench.tools, owner);
    expect([await read(here), await read(elsewhere)]).toEqual([undefined, undefined]);
  });
});
