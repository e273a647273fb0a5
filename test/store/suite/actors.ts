// Who acts on an account's keys, or on its login, is looked at in the operation: a key or a session that ended before its
// turn changes nothing.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Actor } from '../../../src/store/book/actors.ts';
import { type KeyRow, SESSION_IDLE_MS } from '../../../src/store/rows.ts';
import { createAccount, fresh, HOUR, sampleKey, T0 } from './samples.ts';
import type { OpenSubject, StoreSubject } from './subject.ts';

const GONE = { ok: false, reason: 'actor_gone' } as const;
const NOT_PERMITTED = { ok: false, reason: 'actor_not_permitted' } as const;

export function describeActors(open: OpenSubject): void {
  describe('who acts', () => {
    let subject: StoreSubject;
    /** It manages, and it is not the last that does. */
    let key: KeyRow;
    beforeAll(async () => {
      subject = await open();
    });
    afterAll(() => subject.close());

    const newKey = async () => {
      const { accountId } = await createAccount(subject.store);
      key = sampleKey(accountId);
      await subject.store.commit('createKey', { key, at: T0 });
    };
    const bySelf = (): Actor => ({ keyId: key.keyId, keyHash: key.hash });
    const change = (changes: Partial<Pick<KeyRow, 'manage' | 'expiresAt'>>) =>
      subject.store.commit('changeKey', { accountId: key.accountId, keyId: key.keyId, changes, at: T0 });
    const rotate = (by?: Actor, hash = fresh('text'), { grace = 0, replay = undefined as string | undefined } = {}) =>
      subject.store.commit('rotateKey', {
        accountId: key.accountId,
        keyId: key.keyId,
        hash,
        last4: 'wxyz',
        graceUntil: T0 + grace,
        by,
        at: T0,
        replay: replay === undefined ? undefined : { id: replay, bodyHash: 'body', salt: hash },
      });
    const revoke = () => subject.store.commit('revokeKey', { accountId: key.accountId, keyId: key.keyId, at: T0 });
    const everything = (by: Actor, at = T0) => {
      const of = { accountId: key.accountId, keyId: key.keyId, by, at };
      return Promise.all([
        subject.store.commit('createKey', { key: sampleKey(key.accountId), by, at }),
        subject.store.commit('changeKey', { ...of, changes: { name: 'changed' } }),
        subject.store.commit('rotateKey', { ...of, hash: fresh('text'), last4: 'wxyz', graceUntil: at }),
        subject.store.commit('revokeKey', of),
      ]);
    };
    const openSession = async (keyId: string | null, keyHash?: string) => {
      const hash = fresh('session');
      const session = { hash, keyId, keyHash, createdAt: T0, seenAt: T0 };
      await subject.store.commit('openSession', { accountId: key.accountId, session, at: T0 });
      return { session: hash };
    };

    const ends: [how: string, end: () => Promise<unknown>, expected: typeof GONE | typeof NOT_PERMITTED][] = [
      ['was revoked', revoke, GONE],
      ['was rotated', () => rotate(), GONE],
      ['has expired', () => change({ manage: false, expiresAt: T0 }), GONE],
      ['was told to manage no more', () => change({ manage: false }), NOT_PERMITTED],
    ];
    test.each(ends)('a key that %s changes nothing, and neither does a session of it', async (_, end, expected) => {
      await newKey();
      const actors = [bySelf(), await openSession(key.keyId, key.hash)];
      await end();
      const before = await subject.store.read.keysOf(key.accountId);
      for (const by of actors) expect(await everything(by)).toEqual([expected, expected, expected, expected]);
      expect(await subject.store.read.keysOf(key.accountId)).toEqual(before);
    });

    test('an unknown key, one of another account, and a text that the key never had, change nothing', async () => {
      await newKey();
      const stranger = key;
      await newKey();
      const actors = [
        { keyId: 'key_unknown', keyHash: key.hash },
        { keyId: stranger.keyId, keyHash: stranger.hash },
        { keyId: key.keyId, keyHash: 'another text' },
      ];
      for (const by of actors) expect(await everything(by)).toEqual([GONE, GONE, GONE, GONE]);
    });

    test('a session that was closed, or is over, changes nothing; while it is open, it does', async () => {
      await newKey();
      const [closed, idle] = [await openSession(null), await openSession(null)];
      await subject.store.commit('closeSession', { accountId: key.accountId, hash: closed.session });
      expect(await everything(closed)).toEqual([GONE, GONE, GONE, GONE]);
      expect(await everything(idle, T0 + SESSION_IDLE_MS)).toEqual([GONE, GONE, GONE, GONE]);
      expect((await everything(idle)).map(({ ok }) => ok)).toEqual([true, true, true, true]);
    });

    test('an old text acts while its grace lasts', async () => {
      await newKey();
      await rotate(undefined, fresh('text'), { grace: HOUR });
      expect(await everything(bySelf(), T0 + HOUR)).toEqual([GONE, GONE, GONE, GONE]);
      // Its rotation ends the grace.
      expect((await everything(bySelf())).map(({ ok }) => ok)).toEqual([true, true, true, false]);
    });

    test('of rotations that a key asks for itself at once, one is done, and the others are refused', async () => {
      await newKey();
      const texts = Array.from({ length: 8 }, () => fresh('text'));
      const results = await Promise.all(texts.map((text) => rotate(bySelf(), text)));
      expect(results.filter(({ ok }) => ok)).toHaveLength(1);
      expect(results.filter(({ ok }) => !ok)).toEqual(Array.from({ length: 7 }, () => GONE));
      const stored = await subject.store.read.keyById(key.keyId);
      expect(stored?.hash).toBe(texts[results.findIndex(({ ok }) => ok)]);
    });

    test('with one Idempotency-Key all of them are told the same rotation', async () => {
      await newKey();
      const replay = fresh('replay');
      const results = await Promise.all(Array.from({ length: 8 }, () => rotate(bySelf(), fresh('text'), { replay })));
      expect(results.filter((result) => result.ok && result.replayedSalt !== undefined)).toHaveLength(7);
      expect(results.filter((result) => result.ok && result.replayedSalt === undefined)).toHaveLength(1);
    });

    test('a name and a password are not set by a session that ended, nor by one whose key did', async () => {
      await newKey();
      const { accountId } = key;
      const [closed, ofKey, stays] = [
        await openSession(null),
        await openSession(key.keyId, key.hash),
        await openSession(null),
      ];
      await subject.store.commit('closeSession', { accountId, hash: closed.session });
      await revoke();
      const name = fresh('name');
      const set = (by: { session: string }) =>
        subject.store.commit('setLogin', { accountId, before: null, name, passwordHash: 'x', by, at: T0 });
      expect([await set(closed), await set(ofKey)]).toEqual([GONE, GONE]);
      expect(await subject.store.read.accountByLogin(name)).toBeUndefined();
      expect(await set(stays)).toEqual({ ok: true });
      expect(await subject.store.read.accountByLogin(name)).toBe(accountId);
    });
  });
}
