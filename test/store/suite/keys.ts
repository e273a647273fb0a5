// The keys of an account, always changed as a whole.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { MAX_KEYS } from '../../../src/store/book/key-count.ts';
import { type Account, createAccount, DAY, fresh, HOUR, sampleKey, T0 } from './samples.ts';
import type { OpenSubject, StoreSubject } from './subject.ts';

export function describeKeys(open: OpenSubject): void {
  describe('keys', () => {
    let subject: StoreSubject;
    beforeAll(async () => {
      subject = await open();
    });
    afterAll(() => subject.close());

    const addKey = async ({ accountId }: Account, fields: Parameters<typeof sampleKey>[1] = {}) => {
      const key = sampleKey(accountId, { manage: false, createdAt: T0 + 1, ...fields });
      await subject.store.commit('createKey', { key, at: T0 });
      return key;
    };

    test('are created with everything they carry, and found by hash, id and account', async () => {
      const account = await createAccount(subject.store);
      const key = await addKey(account, {
        name: 'Größe "π" \\ \n 金鑰',
        models: ['auto:free', 'a,b{}"\\'],
        dailyBudget: 9_007_199_254_740_993n,
        expiresAt: T0 + DAY,
      });
      expect(await subject.store.read.keyByHash(key.hash)).toEqual(key);
      expect(await subject.store.read.keyById(key.keyId)).toEqual(key);
      expect((await subject.store.read.keysOf(account.accountId)).map(({ keyId }) => keyId)).toEqual([
        account.keyId,
        key.keyId,
      ]);
      expect(await subject.store.read.keyByHash('no such hash')).toBeUndefined();
    });

    test('are refused for an unknown account, and beyond the most', async () => {
      const stranger = sampleKey('acc_unknown');
      expect(await subject.store.commit('createKey', { key: stranger, at: T0 })).toEqual({
        ok: false,
        reason: 'not_found',
      });
      const { accountId } = await createAccount(subject.store);
      const results = await Promise.all(
        Array.from({ length: MAX_KEYS + 3 }, () =>
          subject.store.commit('createKey', { key: sampleKey(accountId, { manage: false }), at: T0 }),
        ),
      );
      expect(results.filter(({ ok }) => ok)).toHaveLength(MAX_KEYS - 1);
      expect(results.at(-1)).toMatchObject({ ok: false, reason: 'too_many_keys', limit: MAX_KEYS, used: MAX_KEYS });
    });

    test('created again with the Idempotency-Key are the same key', async () => {
      const { accountId } = await createAccount(subject.store);
      const id = fresh('replay');
      const call = (salt: string, bodyHash = 'body') =>
        subject.store.commit('createKey', {
          key: sampleKey(accountId, { manage: false }),
          at: T0,
          replay: { id, bodyHash, salt },
        });
      const results = await Promise.all(Array.from({ length: 8 }, (_, n) => call(`salt ${n}`)));
      expect(new Set(results.map((result) => result.ok && result.key.keyId)).size).toBe(1);
      expect(results.filter((result) => result.ok && result.replayedSalt !== undefined)).toHaveLength(7);
      expect(await call('salt', 'other')).toEqual({ ok: false, reason: 'idempotency_key_reused' });
    });

    test('created again are told as they were made, whatever became of them', async () => {
      const { accountId } = await createAccount(subject.store);
      const replay = { id: fresh('replay'), bodyHash: 'body', salt: 'salt' };
      const key = sampleKey(accountId, {
        manage: false,
        name: 'first',
        models: ['m'],
        dailyBudget: 9_007_199_254_740_993n,
        expiresAt: T0 + 1,
        limits: { totalBudget: 9_007_199_254_740_995n, inFlight: 3 },
      });
      await subject.store.commit('createKey', { key, at: T0, replay });
      const { keyId } = key;
      const changes = { name: 'second', models: null, dailyBudget: null, expiresAt: null };
      await subject.store.commit('changeKey', { accountId, keyId, changes, at: T0 });
      await subject.store.commit('revokeKey', { accountId, keyId, at: T0 });
      const { last4, name, manage, models, dailyBudget, expiresAt, createdAt } = key;
      const { parentId, depth, delegate, limits } = key;
      const again = { key: sampleKey(accountId, { last4: 'wxyz' }), at: T0 + 2, replay, onlyReplay: true };
      expect(await subject.store.commit('createKey', again)).toEqual({
        ok: true,
        key: {
          keyId,
          last4,
          name,
          manage,
          models,
          dailyBudget,
          expiresAt,
          createdAt,
          parentId,
          depth,
          delegate,
          limits,
        },
        replayedSalt: 'salt',
      });
    });

    test('that cannot be had are told from an earlier call or not at all', async () => {
      const { accountId } = await createAccount(subject.store);
      const replay = { id: fresh('replay'), bodyHash: 'body', salt: 'salt' };
      const wanted = { key: sampleKey(accountId, { manage: false }), at: T0, replay };
      const refused = { ...wanted, onlyReplay: true };
      expect(await subject.store.commit('createKey', refused)).toEqual({ ok: false, reason: 'no_replay' });
      expect(await subject.store.read.keysOf(accountId)).toHaveLength(1);
      expect(await subject.store.commit('createKey', wanted)).toMatchObject({ ok: true });
      const other = { ...refused, replay: { ...replay, bodyHash: 'other' } };
      expect(await subject.store.commit('createKey', other)).toEqual({ ok: false, reason: 'idempotency_key_reused' });
    });

    test('of which an earlier version remembered only the id are told as they are', async () => {
      const { accountId } = await createAccount(subject.store);
      const replay = { id: fresh('replay'), bodyHash: 'body', salt: 'salt' };
      const key = sampleKey(accountId, { manage: false });
      await subject.store.commit('createKey', { key, at: T0, replay });
      await subject.plant(`UPDATE replays SET result = '"${key.keyId}"' WHERE replay_id = '${replay.id}'`);
      const again = { key: sampleKey(accountId), at: T0, replay };
      expect(await subject.store.commit('createKey', again)).toEqual({ ok: true, key, replayedSalt: 'salt' });
      const rotation = { accountId, keyId: key.keyId, hash: 'hash', last4: 'last', graceUntil: T0, at: T0, replay };
      await subject.store.commit('revokeKey', { accountId, keyId: key.keyId, at: T0 });
      const gone = { ok: false as const, reason: 'replayed_key_gone' as const };
      expect(await subject.store.commit('createKey', again)).toEqual(gone);
      expect(await subject.store.commit('rotateKey', rotation)).toEqual(gone);
    });

    test('change, and tell the other nodes', async () => {
      const account = await createAccount(subject.store);
      const key = await addKey(account);
      const before = (await subject.store.read.pulse()).keysVersion;
      const changes = { name: 'new', models: ['m'], dailyBudget: 5n, expiresAt: T0 + 1 };
      const { accountId } = account;
      expect(await subject.store.commit('changeKey', { accountId, keyId: key.keyId, changes, at: T0 })).toEqual({
        ok: true,
        key: { ...key, ...changes },
      });
      expect(await subject.store.read.keyById(key.keyId)).toEqual({ ...key, ...changes });
      expect((await subject.store.read.pulse()).keysVersion).not.toBe(before);
    });

    test('are another account’s as little as nobody’s', async () => {
      const [account, other] = [await createAccount(subject.store), await createAccount(subject.store)];
      const { accountId } = other;
      const { keyId } = account;
      const missing = { ok: false, reason: 'not_found' };
      expect(await subject.store.commit('changeKey', { accountId, keyId, changes: { name: 'x' }, at: T0 })).toEqual(
        missing as never,
      );
      expect(await subject.store.commit('revokeKey', { accountId, keyId, at: T0 })).toEqual(missing as never);
    });

    test('rotate: the old one dies at once, or when its grace ends', async () => {
      const account = await createAccount(subject.store);
      const key = await addKey(account);
      const { accountId } = account;
      const rotate = (hash: string, graceUntil: number) =>
        subject.store.commit('rotateKey', { accountId, keyId: key.keyId, hash, last4: 'wxyz', graceUntil, at: T0 });
      const second = `second ${key.hash}`;
      expect(await rotate(second, T0 + HOUR)).toMatchObject({
        ok: true,
        key: { hash: second, last4: 'wxyz', oldHash: key.hash, oldHashUntil: T0 + HOUR },
      });
      expect((await subject.store.read.keyByHash(key.hash))?.keyId).toBe(key.keyId);
      expect((await subject.store.read.keyByHash(second))?.keyId).toBe(key.keyId);
      await rotate(`third ${key.hash}`, T0);
      expect(await subject.store.read.keyByHash(key.hash)).toBeUndefined();
      expect(await subject.store.read.keyByHash(second)).toBeUndefined();
    });

    test('rotate: the session that asked goes on with the new text, if a text of this key opened it', async () => {
      const account = await createAccount(subject.store);
      const { accountId } = account;
      const key = await addKey(account, { manage: true });
      const open = (hash: string, keyId: string | null, keyHash?: string) =>
        subject.store.commit('openSession', {
          accountId,
          session: { hash, keyId, keyHash, createdAt: T0, seenAt: T0 },
          at: T0,
        });
      await open('own', key.keyId, key.hash);
      await open('elsewhere', key.keyId, key.hash);
      await open('named', null);
      const rotate = (session: string, hash: string) => {
        const input = { accountId, keyId: key.keyId, hash, last4: 'wxyz', graceUntil: T0, by: { session }, at: T0 };
        return subject.store.commit('rotateKey', input);
      };
      expect(await rotate('own', `second ${key.hash}`)).toMatchObject({ ok: true });
      expect(await rotate('own', `third ${key.hash}`)).toMatchObject({ ok: true });
      expect(await rotate('named', `fourth ${key.hash}`)).toMatchObject({ ok: true });
      const login = await subject.store.read.login(accountId);
      expect(Object.fromEntries(login?.sessions.map(({ hash, keyHash }) => [hash, keyHash]) ?? [])).toEqual({
        own: `third ${key.hash}`,
        elsewhere: key.hash,
        named: undefined,
      });
    });

    test('rotated again with the Idempotency-Key are rotated once, and told as they were', async () => {
      const account = await createAccount(subject.store);
      const { accountId } = account;
      const key = await addKey(account, { name: 'first' });
      const { keyId } = key;
      const id = fresh('replay');
      const rotate = (n: number, bodyHash = 'body') =>
        subject.store.commit('rotateKey', {
          accountId,
          keyId,
          hash: `${n} ${key.hash}`,
          last4: `wxy${n}`,
          graceUntil: T0,
          at: T0,
          replay: { id, bodyHash, salt: `salt ${n}` },
        });
      const results = await Promise.all(Array.from({ length: 8 }, (_, n) => rotate(n)));
      const made = results.findIndex((result) => result.ok && result.replayedSalt === undefined);
      expect(results.filter((_, n) => n !== made)).toEqual(
        Array.from({ length: 7 }, () => expect.objectContaining({ ok: true, replayedSalt: `salt ${made}` })),
      );
      expect(await subject.store.read.keyById(keyId)).toEqual({
        ...key,
        hash: `${made} ${key.hash}`,
        last4: `wxy${made}`,
      });
      expect(await rotate(8, 'other')).toEqual({ ok: false, reason: 'idempotency_key_reused' });
      await subject.store.commit('changeKey', { accountId, keyId, changes: { name: 'second' }, at: T0 });
      await subject.store.commit('revokeKey', { accountId, keyId, at: T0 });
      expect(await rotate(9)).toMatchObject({ ok: true, key: { keyId, name: 'first', last4: `wxy${made}` } });
    });

    test('revoked ones are gone for changes, and listed still', async () => {
      const account = await createAccount(subject.store);
      const key = await addKey(account);
      const { accountId } = account;
      const revoke = () => subject.store.commit('revokeKey', { accountId, keyId: key.keyId, at: T0 + 5 });
      expect(await revoke()).toMatchObject({ ok: true, key: { revokedAt: T0 + 5 } });
      expect(await revoke()).toEqual({ ok: false, reason: 'not_found' });
      expect((await subject.store.read.keysOf(accountId)).find(({ keyId }) => keyId === key.keyId)?.revokedAt).toBe(
        T0 + 5,
      );
    });

    test('the last managing key stays, also when two are revoked at once', async () => {
      const account = await createAccount(subject.store);
      const { accountId, keyId } = account;
      expect(await subject.store.commit('revokeKey', { accountId, keyId, at: T0 })).toEqual({
        ok: false,
        reason: 'last_key',
      });
      const manageOff = { accountId, keyId, changes: { manage: false }, at: T0 };
      expect(await subject.store.commit('changeKey', manageOff)).toEqual({ ok: false, reason: 'last_key' });
      const second = await addKey(account, { manage: true });
      const results = await Promise.all(
        [keyId, second.keyId].map((one) => subject.store.commit('revokeKey', { accountId, keyId: one, at: T0 })),
      );
      expect(results.map(({ ok }) => ok)).toEqual([true, false]);
      const byOperator = { accountId, keyId: second.keyId, at: T0, evenIfLast: true };
      expect(await subject.store.commit('revokeKey', byOperator)).toMatchObject({ ok: true });
    });

    test('a key that manages has no restriction, or the database refuses it', async () => {
      const { accountId } = await createAccount(subject.store);
      const key = sampleKey(accountId, { manage: true, dailyBudget: 1n });
      expect(await subject.store.commit('createKey', { key, at: T0 }).catch((error) => error.code)).toBe(
        'internal_error',
      );
    });
  });
}
