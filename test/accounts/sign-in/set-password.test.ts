// A name and a password for an account: what they may be, who gets a name, and what a new password ends.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createPasswords, PASSWORD_COST } from '../../../src/accounts/sign-in/passwords.ts';
import { readSession, SessionEnded } from '../../../src/accounts/sign-in/sessions.ts';
import { setPassword, signInWithKey, signInWithPassword } from '../../../src/accounts/sign-in/sign-in.ts';
import { openSignInBench, type SignInBench } from '../sign-in-tools.ts';

const PASSWORD = 'correct horse battery';

let bench: SignInBench;
beforeAll(async () => {
  bench = await openSignInBench();
});
afterAll(() => bench.close());

let addresses = 0;
const visitor = () => ({ address: `address ${++addresses}` });
const set = (accountId: string, name: string, password = PASSWORD, keep?: string) =>
  setPassword(bench.tools, accountId, name, password, keep);

test.each([
  ['ab', PASSWORD, 'name_not_allowed'],
  ['a'.repeat(41), PASSWORD, 'name_not_allowed'],
  ['with space', PASSWORD, 'name_not_allowed'],
  ['名字名字', PASSWORD, 'name_not_allowed'],
  ['abc', 'elevenchars', 'password_too_short'],
  ['abc', '🐎'.repeat(11), 'password_too_short'],
  ['abc', 'x'.repeat(1_025), 'password_too_long'],
  ['abc', '字'.repeat(342), 'password_too_long'],
] as const)('%s with %s: %s', async (name, password, reason) => {
  const { accountId } = await bench.register();
  expect(await set(accountId, name, password)).toEqual({ ok: false, reason });
});

test('the longest and the shortest that may be', async () => {
  const { accountId } = await bench.register();
  expect(await set(accountId, 'z'.repeat(40), 'x'.repeat(1_024))).toMatchObject({ ok: true });
  expect(await set(accountId, 'A-b', '🐎'.repeat(12))).toEqual({ ok: true, name: 'a-b' });
});

test('a name is one account’s, whatever its case, until it takes another', async () => {
  const [one, two] = [await bench.register(), await bench.register()];
  expect(await set(one.accountId, 'Wanted')).toEqual({ ok: true, name: 'wanted' });
  expect(await set(two.accountId, 'WANTED')).toEqual({ ok: false, reason: 'name_taken' });
  expect(await set(one.accountId, 'other')).toMatchObject({ ok: true });
  expect(await set(two.accountId, 'wanted')).toMatchObject({ ok: true });
  expect(await signInWithPassword(bench.tools, 'wanted', PASSWORD, visitor())).toMatchObject({
    accountId: two.accountId,
  });
});

test('racing for one name, and one account racing with itself', async () => {
  const accounts = await Promise.all(Array.from({ length: 12 }, () => bench.register()));
  const results = await Promise.all(accounts.map(({ accountId }) => set(accountId, 'raced')));
  expect(results.filter(({ ok }) => ok)).toHaveLength(1);
  const accountId = accounts[0]?.accountId ?? '';
  const own = await Promise.all(['own-a', 'own-b', 'own-c'].map((name) => set(accountId, name)));
  expect(own.filter(({ ok }) => ok)).toHaveLength(3);
  const owners = await Promise.all(['own-a', 'own-b', 'own-c'].map((n) => bench.tools.store.read.accountByLogin(n)));
  expect(owners.filter((owner) => owner !== undefined)).toEqual([accountId]);
});

test('the old password and every other session end', async () => {
  const { accountId, key } = await bench.register();
  await set(accountId, 'changing');
  const here = await signInWithPassword(bench.tools, 'changing', PASSWORD, visitor());
  const there = await signInWithKey(bench.tools, key, visitor());
  expect(await set(accountId, 'changing', 'another long password', here?.cookie)).toMatchObject({ ok: true });
  const now = bench.tools.clock.now();
  expect(await readSession(bench.tools, here?.cookie, now)).toBeDefined();
  expect(await readSession(bench.tools, there?.cookie, now)).toBeUndefined();
  expect(await signInWithPassword(bench.tools, 'changing', PASSWORD, visitor())).toBeUndefined();
  expect(await signInWithPassword(bench.tools, 'changing', 'another long password', visitor())).toBeDefined();
});

/** What is done while the password is hashed. */
const toolsWhile = (act: () => Promise<unknown>) => {
  const { passwords } = bench.tools;
  const hash = async (password: string) => {
    await act();
    return passwords.hash(password);
  };
  return { ...bench.tools, passwords: { ...passwords, hash } };
};

test('a session that is ended while its password is hashed sets none', async () => {
  const { accountId, key } = await bench.register();
  const opened = await signInWithKey(bench.tools, key, visitor());
  const { store } = bench.tools;
  const tools = toolsWhile(() => store.commit('closeSessions', { accountId }));
  const setting = setPassword(tools, accountId, 'too-late', PASSWORD, opened?.cookie);
  expect(await setting.catch((error: unknown) => error)).toBeInstanceOf(SessionEnded);
  expect(await store.read.accountByLogin('too-late')).toBeUndefined();
});

test('nor does one whose key is told meanwhile to manage no more, and it stays open', async () => {
  const { accountId } = await bench.register();
  const { keyId, key } = await bench.addKey(accountId);
  const opened = await signInWithKey(bench.tools, key, visitor());
  const { store, clock } = bench.tools;
  const changes = { manage: false };
  const tools = toolsWhile(() => store.commit('changeKey', { accountId, keyId, changes, at: clock.now() }));
  expect(await setPassword(tools, accountId, 'no-more', PASSWORD, opened?.cookie)).toEqual({
    ok: false,
    reason: 'not_permitted',
  });
  expect(await store.read.accountByLogin('no-more')).toBeUndefined();
  expect(await readSession(bench.tools, opened?.cookie, clock.now())).toMatchObject({ canManage: false });
});

test('who signs in with the old password while it is changed does not get in', async () => {
  const { accountId } = await bench.register();
  await set(accountId, 'in-between');
  const { passwords } = bench.tools;
  const late = {
    ...bench.tools,
    passwords: {
      ...passwords,
      async verify(password: string, hash: string | null | undefined) {
        const isRight = await passwords.verify(password, hash);
        await set(accountId, 'in-between', 'another long password');
        return isRight;
      },
    },
  };
  expect(await signInWithPassword(late, 'in-between', PASSWORD, visitor())).toBeUndefined();
  expect((await bench.tools.store.read.login(accountId))?.sessions).toEqual([]);
});

test('one account cannot keep the others waiting with ever new passwords', async () => {
  const { accountId } = await bench.register();
  const results = await Promise.allSettled(Array.from({ length: 30 }, () => set(accountId, 'ever-new')));
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
  expect(results.at(-1)).toMatchObject({ status: 'rejected', reason: { code: 'auth_rate_limited' } });
  const other = await bench.register();
  expect(await set(other.accountId, 'another-one')).toMatchObject({ ok: true });
});

test('what is stored names argon2id and its full cost', async () => {
  const hash = await createPasswords().hash(PASSWORD);
  expect(hash).toStartWith(`$argon2id$v=19$m=${PASSWORD_COST.memoryKiB},t=${PASSWORD_COST.passes},p=1$`);
});

test('more passwords at once than can wait are turned away, and none of the others is lost', async () => {
  const passwords = createPasswords({ memoryKiB: 64, passes: 1 });
  const results = await Promise.allSettled(Array.from({ length: 100 }, () => passwords.verify(PASSWORD, undefined)));
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(64);
  expect(results.at(-1)).toMatchObject({ status: 'rejected', reason: { code: 'unavailable' } });
  expect(await passwords.verify(PASSWORD, await passwords.hash(PASSWORD))).toBe(true);
});
