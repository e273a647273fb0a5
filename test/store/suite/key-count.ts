// How many keys an account can have, and a key below itself.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Actor } from '../../../src/store/book/actors.ts';
import { MAX_KEYS, MAX_KEYS_A_DAY, MAX_KEYS_BELOW } from '../../../src/store/book/key-count.ts';
import type { EventType, KeyRow } from '../../../src/store/rows.ts';
import { addKey } from './key-tree.ts';
import { createAccount, MIDNIGHT, sampleKey, T0 } from './samples.ts';
import type { OpenSubject, StoreSubject } from './subject.ts';

export function describeKeyCount(open: OpenSubject): void {
  describe('the number of keys', () => {
    let subject: StoreSubject;
    beforeAll(async () => {
      subject = await open();
    });
    afterAll(() => subject.close());

    test('those that expired first make room for a new one, with the keys below them', async () => {
      const { store } = subject;
      const { accountId } = await createAccount(store);
      const parent = await addKey(store, accountId);
      const below = await addKey(store, accountId, {}, parent.keyId);
      const create = (fields: Partial<KeyRow> = {}) =>
        store.commit('createKey', { key: sampleKey(accountId, { manage: false, ...fields }), at: T0 });
      const [later] = await Promise.all(Array.from({ length: MAX_KEYS - 3 }, () => create()));
      const laterId = later?.ok ? later.key.keyId : '';
      expect(await create()).toEqual({
        ...{ ok: false, reason: 'too_many_keys' },
        ...{ keyId: null, limit: MAX_KEYS, used: MAX_KEYS },
      });
      const expire = (keyId: string, expiresAt: number) =>
        store.commit('changeKey', { accountId, keyId, changes: { expiresAt }, at: T0 });
      expect(await expire(laterId, T0)).toMatchObject({ ok: true });
      expect(await expire(parent.keyId, T0 - 1)).toMatchObject({ ok: true });
      expect(await create()).toMatchObject({ ok: true });
      const left = (await store.read.unrevokedKeysOf(accountId)).map(({ keyId }) => keyId);
      expect(left).toHaveLength(MAX_KEYS - 1);
      expect(left).toContain(laterId);
      for (const { keyId } of [parent, below]) expect(left).not.toContain(keyId);
      const types: EventType[] = ['key.revoked'];
      const revoked = await store.read.eventsOf({ accountId, after: 0, types, limit: 10 });
      expect(revoked.map(({ data }) => data)).toEqual([
        { key_id: parent.keyId, parent_id: null },
        { key_id: below.keyId, parent_id: parent.keyId },
      ]);
    });

    test('below one key is lower than that of an account, at all depths together', async () => {
      const { store } = subject;
      const { accountId } = await createAccount(store);
      const top = await addKey(store, accountId);
      const inner = await addKey(store, accountId, {}, top.keyId);
      const create = (fields: Partial<KeyRow> = {}) => {
        const key = sampleKey(accountId, { manage: false, parentId: inner.keyId, dailyBudget: 1n, ...fields });
        return store.commit('createKey', { key, at: T0 });
      };
      const made = await Promise.all(Array.from({ length: MAX_KEYS_BELOW - 1 }, () => create()));
      expect(made.every(({ ok }) => ok)).toBe(true);
      const refused = { ok: false, reason: 'too_many_keys', keyId: top.keyId, limit: MAX_KEYS_BELOW };
      expect(await create()).toMatchObject({ ...refused, used: MAX_KEYS_BELOW });
      expect(await create({ parentId: top.keyId })).toMatchObject(refused);
      expect(await create({ parentId: null })).toMatchObject({ ok: true });
    });

    test('a delegating key replaces expired keys only below itself', async () => {
      const { store } = subject;
      const { accountId } = await createAccount(store);
      const delegate = await addKey(store, accountId);
      const by = { keyId: delegate.keyId, keyHash: delegate.hash };
      const others = Array.from({ length: MAX_KEYS - 2 }, () =>
        sampleKey(accountId, { manage: false, expiresAt: T0 - 1 }),
      );
      await Promise.all(others.map((key) => store.commit('createKey', { key, at: T0 - 2 })));
      const create = (asker: Actor | undefined) => {
        const key = sampleKey(accountId, { manage: false, parentId: delegate.keyId, dailyBudget: 1n });
        return store.commit('createKey', { key, by: asker, at: T0 });
      };
      expect(await create(by)).toMatchObject({ ok: false, reason: 'too_many_keys', keyId: null });
      expect(await create(undefined)).toMatchObject({ ok: true });
    });

    test('that a customer makes in a day is bounded, apart for keys below others, and not for the operator', async () => {
      const { store } = subject;
      const { accountId } = await createAccount(store);
      const [manager] = await store.read.keysOf(accountId);
      if (!manager) throw new Error('an account has a key');
      const by = { keyId: manager.keyId, keyHash: manager.hash };
      const parent = await addKey(store, accountId);
      const create = (asker: Actor | undefined, fields: Partial<KeyRow> = {}, at = T0) =>
        store.commit('createKey', { key: sampleKey(accountId, { manage: false, ...fields }), by: asker, at });
      expect(await create(by)).toMatchObject({ ok: true });
      await subject.plant(
        `UPDATE windows SET day_count = ${MAX_KEYS_A_DAY} WHERE window_id = 'keys-made:${accountId}' AND day_count = 1`,
      );
      expect(await create(by)).toEqual({
        ...{ ok: false, reason: 'too_many_keys_today' },
        allowance: { limit: MAX_KEYS_A_DAY, used: MAX_KEYS_A_DAY, remaining: 0, resetsAt: MIDNIGHT },
      });
      expect(await create(by, { parentId: parent.keyId, dailyBudget: 1n })).toMatchObject({ ok: true });
      expect(await create(undefined)).toMatchObject({ ok: true });
      expect(await create(by, {}, MIDNIGHT)).toMatchObject({ ok: true });
    });
  });
}
