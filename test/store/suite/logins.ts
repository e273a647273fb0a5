// Names, passwords and sessions of the site: a name has one owner, and a session ends when it should.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { MAX_SESSIONS } from '../../../src/store/book/logins.ts';
import type { SetLoginInput } from '../../../src/store/operations.ts';
import { SESSION_IDLE_MS, SESSION_MOST_MS } from '../../../src/store/rows.ts';
import { createAccount, fresh, MINUTE, T0 } from './samples.ts';
import type { OpenSubject, StoreSubject } from './subject.ts';

export function describeLogins(open: OpenSubject): void {
  describe('logins', () => {
    let subject: StoreSubject;
    beforeAll(async () => {
      subject = await open();
    });
    afterAll(() => subject.close());

    const setLogin = (accountId: string, name: string, fields: Partial<SetLoginInput> = {}) =>
      subject.store.commit('setLogin', {
        accountId,
        before: null,
        name,
        passwordHash: `hash of ${name}`,
        at: T0,
        ...fields,
      });
    const openSession = (accountId: string, hash: string, at = T0, keyId: string | null = null) =>
      subject.store.commit('openSession', { accountId, session: { hash, keyId, createdAt: at, seenAt: at }, at });
    const openLesser = (accountId: string, hash: string, at: number, keyId: string) =>
      subject.store.commit('openSession', {
        accountId,
        session: { hash, keyId, onlyCalls: true, createdAt: at, seenAt: at },
        at,
      });
    const hashesOf = async (accountId: string) =>
      (await subject.store.read.login(accountId))?.sessions.map(({ hash }) => hash) ?? [];

    test('a name is found again, and nobody else’s', async () => {
      const { accountId } = await createAccount(subject.store);
      const name = fresh('name');
      expect(await subject.store.read.accountByLogin(name)).toBeUndefined();
      expect(await setLogin(accountId, name)).toEqual({ ok: true });
      expect(await subject.store.read.accountByLogin(name)).toBe(accountId);
      expect(await subject.store.read.login(accountId)).toEqual({
        accountId,
        name,
        passwordHash: `hash of ${name}`,
        sessions: [],
        touchedAt: T0,
      });
      const other = await createAccount(subject.store);
      expect(await setLogin(other.accountId, name)).toEqual({ ok: false, reason: 'name_taken' });
      expect(await subject.store.read.login(other.accountId)).toBeUndefined();
    });

    test('a new password under the same name', async () => {
      const { accountId } = await createAccount(subject.store);
      const name = fresh('name');
      await setLogin(accountId, name);
      expect(await setLogin(accountId, name, { before: name, passwordHash: 'another' })).toEqual({ ok: true });
      expect(await subject.store.read.login(accountId)).toMatchObject({ name, passwordHash: 'another' });
    });

    test('another name frees the old one, which the next one may have in the same moment', async () => {
      const [one, two] = [await createAccount(subject.store), await createAccount(subject.store)];
      const [old, young] = [fresh('name'), fresh('name')];
      await setLogin(one.accountId, old);
      const results = await Promise.all([
        setLogin(one.accountId, young, { before: old }),
        setLogin(two.accountId, old),
      ]);
      expect(results).toEqual([{ ok: true }, { ok: true }]);
      expect(await subject.store.read.accountByLogin(young)).toBe(one.accountId);
      expect(await subject.store.read.accountByLogin(old)).toBe(two.accountId);
    });

    test('whoever thinks of another name than the account has is told to look again', async () => {
      const { accountId } = await createAccount(subject.store);
      const name = fresh('name');
      await setLogin(accountId, name);
      expect(await setLogin(accountId, fresh('name'))).toEqual({ ok: false, reason: 'changed' });
      expect(await subject.store.read.accountByLogin(name)).toBe(accountId);
    });

    test('many want one name at once: one has it', async () => {
      const accounts = await Promise.all(Array.from({ length: 20 }, () => createAccount(subject.store)));
      const name = fresh('name');
      const results = await Promise.all(accounts.map(({ accountId }) => setLogin(accountId, name)));
      expect(results.filter(({ ok }) => ok)).toHaveLength(1);
      const holders = await subject.sql(`SELECT account_id FROM logins WHERE name = '${name}'`);
      expect(holders).toEqual([{ account_id: await subject.store.read.accountByLogin(name) }]);
    });

    test('a name with a capital letter is a mistake of ours', async () => {
      const { accountId } = await createAccount(subject.store);
      const refused = await setLogin(accountId, 'Capital').catch((error) => error.code);
      expect(refused).toBe('internal_error');
    });

    test('an account that is not there has no login', async () => {
      expect(await setLogin('acc_nobody', fresh('name')).catch((error) => error.code)).toBe('internal_error');
      expect(await openSession('acc_nobody', 'x').catch((error) => error.code)).toBe('internal_error');
    });

    test('sessions open and close, without and with a password', async () => {
      const { accountId, keyId } = await createAccount(subject.store);
      await openSession(accountId, 'first', T0, keyId);
      await openSession(accountId, 'second', T0 + 1);
      expect((await subject.store.read.login(accountId))?.sessions).toEqual([
        { hash: 'first', keyId, createdAt: T0, seenAt: T0 },
        { hash: 'second', keyId: null, createdAt: T0 + 1, seenAt: T0 + 1 },
      ]);
      await subject.store.commit('closeSession', { accountId, hash: 'first' });
      await subject.store.commit('closeSession', { accountId, hash: 'unknown' });
      expect(await hashesOf(accountId)).toEqual(['second']);
      await subject.store.commit('closeSessions', { accountId });
      expect(await subject.store.read.login(accountId)).toBeUndefined();
    });

    test('a new password closes all sessions but the one it comes from', async () => {
      const { accountId } = await createAccount(subject.store);
      for (const hash of ['a', 'b', 'c']) await openSession(accountId, hash);
      const name = fresh('name');
      await setLogin(accountId, name, { by: { session: 'b' } });
      expect(await hashesOf(accountId)).toEqual(['b']);
      await setLogin(accountId, name, { before: name });
      expect(await hashesOf(accountId)).toEqual([]);
    });

    test('a session that is seen lasts longer, but not for ever', async () => {
      const { accountId } = await createAccount(subject.store);
      const touch = (at: number) => subject.store.commit('touchSession', { accountId, hash: 'mine', at });
      const seenAt = async () => (await subject.store.read.login(accountId))?.sessions[0]?.seenAt;
      await openSession(accountId, 'mine');
      await touch(T0 + 5 * MINUTE);
      expect(await seenAt()).toBe(T0 + 5 * MINUTE);
      await touch(T0 + 4 * MINUTE);
      expect(await seenAt()).toBe(T0 + 5 * MINUTE);
      await touch(T0 + 5 * MINUTE + SESSION_IDLE_MS);
      expect(await seenAt()).toBe(T0 + 5 * MINUTE);
      for (let at = T0 + 20 * MINUTE; at < T0 + SESSION_MOST_MS; at += 20 * MINUTE) await touch(at);
      const last = await seenAt();
      await touch(T0 + SESSION_MOST_MS);
      expect(await seenAt()).toBe(last ?? 0);
    });

    test('opening one forgets those that ended, and the oldest of too many', async () => {
      const { accountId } = await createAccount(subject.store);
      await openSession(accountId, 'ended', T0);
      await openSession(accountId, 'first', T0 + SESSION_IDLE_MS);
      expect(await hashesOf(accountId)).toEqual(['first']);
      for (let n = 1; n <= MAX_SESSIONS; n++) await openSession(accountId, `next ${n}`, T0 + SESSION_IDLE_MS + n);
      const hashes = await hashesOf(accountId);
      expect(hashes).toHaveLength(MAX_SESSIONS);
      expect([hashes[0], hashes.at(-1)]).toEqual(['next 1', `next ${MAX_SESSIONS}`]);
    });

    test('a key that only calls pushes out no session that manages', async () => {
      const { accountId, keyId } = await createAccount(subject.store);
      await openSession(accountId, 'by password', T0);
      await openSession(accountId, 'by key', T0 + 1, keyId);
      for (let n = 1; n <= MAX_SESSIONS; n++) await openLesser(accountId, `lesser ${n}`, T0 + 1 + n, 'key_lesser');
      const hashes = await hashesOf(accountId);
      expect(hashes).toHaveLength(MAX_SESSIONS);
      expect(hashes.slice(0, 3)).toEqual(['by password', 'by key', 'lesser 3']);
    });

    test('of keys that only call, the one with the most sessions makes way for the others', async () => {
      const { accountId, keyId } = await createAccount(subject.store);
      await openSession(accountId, 'by key', T0, keyId);
      await openLesser(accountId, 'third', T0 + 1, 'key_third');
      for (let n = 2; n < MAX_SESSIONS; n++) await openLesser(accountId, `lesser ${n}`, T0 + n, 'key_lesser');
      for (let n = 1; n <= MAX_SESSIONS; n++) {
        expect(await openLesser(accountId, `other ${n}`, T0 + 50 + n, 'key_other')).toEqual({ ok: true });
      }
      const hashes = await hashesOf(accountId);
      expect(hashes.slice(0, 3)).toEqual(['by key', 'third', 'lesser 11']);
      // As many as the other has: then its own oldest.
      expect(hashes.filter((hash) => hash.startsWith('lesser'))).toHaveLength(9);
      expect(hashes.filter((hash) => hash.startsWith('other'))).toHaveLength(9);
      expect(hashes.at(-1)).toBe('other 20');
    });

    test('where all sessions manage, a key that only calls is turned away', async () => {
      const { accountId } = await createAccount(subject.store);
      for (let n = 0; n < MAX_SESSIONS; n++) await openSession(accountId, `by password ${n}`, T0 + n);
      const hashes = await hashesOf(accountId);
      expect(await openLesser(accountId, 'lesser', T0 + 50, 'key_lesser')).toEqual({ ok: false, reason: 'full' });
      expect(await hashesOf(accountId)).toEqual(hashes);
    });

    test('sessions of keys that only call make way first, then one’s own, then the oldest', async () => {
      const { accountId, keyId } = await createAccount(subject.store);
      await openSession(accountId, 'by key', T0, keyId);
      await openLesser(accountId, 'lesser', T0 + 1, 'key_lesser');
      for (let n = 2; n < MAX_SESSIONS; n++) await openSession(accountId, `by password ${n}`, T0 + n);
      await openSession(accountId, 'by password again', T0 + 20);
      expect(await hashesOf(accountId)).not.toContain('lesser');
      await openSession(accountId, 'by password at last', T0 + 21);
      expect((await hashesOf(accountId)).slice(0, 2)).toEqual(['by key', 'by password 3']);
      await openSession(accountId, 'by another key', T0 + 22, 'key_another');
      expect((await hashesOf(accountId))[0]).toBe('by password 3');
      expect(await hashesOf(accountId)).toHaveLength(MAX_SESSIONS);
    });

    test('the sessions of one key close together', async () => {
      const { accountId, keyId } = await createAccount(subject.store);
      await openSession(accountId, 'by password', T0);
      await openSession(accountId, 'by key', T0 + 1, keyId);
      for (const hash of ['a', 'b']) await openLesser(accountId, hash, T0 + 2, 'key_lesser');
      await subject.store.commit('closeSessions', { accountId, openedBy: 'key_lesser' });
      expect(await hashesOf(accountId)).toEqual(['by password', 'by key']);
    });
  });
}
