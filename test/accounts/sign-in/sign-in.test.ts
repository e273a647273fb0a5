// Signing in with a key or a password: who gets in, what is the same for everybody who does not, and how often one may try.

import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { readSession } from '../../../src/accounts/sign-in/sessions.ts';
import { setPassword, signInWithKey, signInWithPassword } from '../../../src/accounts/sign-in/sign-in.ts';
import { openSignInBench, type SignInBench } from '../sign-in-tools.ts';

const PASSWORD = 'correct horse battery';
const MINUTE = 60_000;

let bench: SignInBench;
beforeEach(async () => {
  bench = await openSignInBench();
});
afterEach(() => bench.close());

const visitor = { address: 'here' };
const withKey = (key: string, address = 'here') => signInWithKey(bench.tools, key, { address });
const withPassword = (name: string, password = PASSWORD, address = 'here') =>
  signInWithPassword(bench.tools, name, password, { address });
const read = (cookie: string | undefined) => readSession(bench.tools, cookie, bench.tools.clock.now());
const code = (error: { code: string }) => error.code;

describe('with a key', () => {
  test('opens a session that can what the key can', async () => {
    const { accountId, keyId, key } = await bench.register();
    const wide = key.replace(/[!-~]/g, (char) => String.fromCharCode(char.charCodeAt(0) + 0xfee0));
    expect(wide).not.toBe(key);
    expect(await withKey(`${wide}\u3000`)).toMatchObject({ accountId, keyId });
    const opened = await withKey(` ${key}\n`);
    expect(opened).toMatchObject({ accountId, keyId, canManage: true });
    expect(opened?.cookie).toMatch(new RegExp(`^${accountId}\\.[\\w-]{43}$`));
    expect(await read(opened?.cookie)).toEqual({ accountId, keyId, canManage: true, rootId: null });
    const weak = await bench.addKey(accountId, { manage: false });
    const lesser = await withKey(weak.key);
    expect(await read(lesser?.cookie)).toEqual({ accountId, keyId: weak.keyId, canManage: false, rootId: null });
  });

  test('that is malformed, unknown, revoked or expired opens nothing', async () => {
    const { accountId, key } = await bench.register();
    const { tools } = bench;
    const expired = await bench.addKey(accountId, { manage: false, expiresAt: tools.clock.now() + MINUTE });
    const revoked = await bench.addKey(accountId);
    await tools.store.commit('revokeKey', { accountId, keyId: revoked.keyId, at: tools.clock.now() });
    await tools.clock.advance(MINUTE);
    for (const bad of ['', 'sk-svc-x', `${key}x`, expired.key, revoked.key]) expect(await withKey(bad)).toBeUndefined();
  });

  test('bad ones are counted by address, and a good one passes all the same', async () => {
    const { key } = await bench.register();
    for (let n = 0; n < 10; n++) expect(await withKey('bad')).toBeUndefined();
    expect(await withKey('bad').catch(code)).toBe('auth_rate_limited' as never);
    expect(await withKey('bad', 'elsewhere')).toBeUndefined();
    expect(await withKey(key)).toBeDefined();
    await bench.tools.clock.advance(MINUTE + 1);
    expect(await withKey('bad')).toBeUndefined();
  });
});

describe('with a password', () => {
  const named = async (name: string) => {
    const account = await bench.register();
    expect(await setPassword(bench.tools, account.accountId, name, PASSWORD)).toEqual({
      ok: true,
      name: name.toLowerCase(),
    });
    return account;
  };

  test('opens a session that can manage; the name in any case and width', async () => {
    const { accountId } = await named('Some.Name-1');
    expect(await withPassword('ＳＯＭＥ．ｎａｍｅ－１')).toMatchObject({ accountId });
    const opened = await withPassword(' SOME.name-1 ');
    expect(opened).toMatchObject({ accountId, keyId: null, canManage: true });
    expect(await read(opened?.cookie)).toEqual({ accountId, keyId: null, canManage: true, rootId: null });
  });

  test('the same characters composed differently are the same password', async () => {
    const { accountId } = await bench.register();
    await setPassword(bench.tools, accountId, 'composed', 'caf\u00e9 caf\u00e9 caf\u00e9');
    expect(await withPassword('composed', 'cafe\u0301 cafe\u0301 cafe\u0301')).toBeDefined();
  });

  test.each([
    ['a wrong password', 'known', `${PASSWORD}!`],
    ['no password', 'known', ''],
    ['a password that is far too long', 'known', 'x'.repeat(100_000)],
    ['an unknown name', 'unknown', PASSWORD],
    ['no name', '', PASSWORD],
    ['a name that cannot be', "x' OR '1'='1\u0000", PASSWORD],
  ])('%s opens nothing', async (_, name, password) => {
    await named('known');
    expect(await withPassword(name, password)).toBeUndefined();
  });

  test('an unknown name costs the same work', async () => {
    await named('known');
    const worked: (string | null | undefined)[] = [];
    const { passwords } = bench.tools;
    const tools = {
      ...bench.tools,
      passwords: {
        ...passwords,
        verify(password: string, hash: string | null | undefined) {
          worked.push(hash);
          return passwords.verify(password, hash);
        },
      },
    };
    await signInWithPassword(tools, 'known', 'wrong', visitor);
    await signInWithPassword(tools, 'unknown', 'wrong', visitor);
    expect(worked).toEqual([expect.any(String), undefined]);
  });

  test('ten wrong passwords from one address do not lock out the right one from another', async () => {
    await named('known');
    for (let n = 0; n < 10; n++) expect(await withPassword('known', 'wrong', 'attacker')).toBeUndefined();
    expect(await withPassword('known', PASSWORD, 'attacker').catch(code)).toBe('auth_rate_limited' as never);
    expect(await withPassword('known', PASSWORD, 'another')).toBeDefined();
  });

  test('a hundred tries a minute at one name, from wherever, but for addresses that signed in with it', async () => {
    await named('known');
    expect(await withPassword('known', PASSWORD, 'home')).toBeDefined();
    for (let n = 1; n < 100; n++) expect(await withPassword('known', 'wrong', `address ${n}`)).toBeUndefined();
    expect(await withPassword('known', PASSWORD, 'another').catch(code)).toBe('auth_rate_limited' as never);
    expect(await withPassword('known', PASSWORD, 'home')).toBeDefined();
    await bench.tools.clock.advance(MINUTE + 1);
    expect(await withPassword('known', PASSWORD, 'another')).toBeDefined();
  });

  test('ten tries a minute from one address, at whatever names', async () => {
    for (let n = 0; n < 10; n++) expect(await withPassword(`name-${n}`)).toBeUndefined();
    const refused = await withPassword('name-10').catch((error) => error);
    expect(refused).toMatchObject({ code: 'auth_rate_limited', details: { figures: { limit: 10, used: 10 } } });
    expect(await withPassword('name-11', PASSWORD, 'elsewhere')).toBeUndefined();
  });
});

test('neither passwords nor cookies stand in the database', async () => {
  const { accountId, key } = await bench.register();
  await setPassword(bench.tools, accountId, 'somebody', PASSWORD);
  const opened = [await withPassword('somebody'), await withKey(key)];
  const bytes = await bench.everyByte();
  expect(bytes).toContain('somebody');
  expect(bytes).toContain('$argon2id$');
  for (const cookie of opened.map((one) => one?.cookie ?? '?')) expect(bytes).not.toContain(cookie.slice(-43));
  for (const secret of [PASSWORD, key]) expect(bytes).not.toContain(secret);
});
