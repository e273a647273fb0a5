// Webhooks: who may change them, how many an account has, and how a cursor moves.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { DAY_MS } from '../../../src/kit/clock.ts';
import type { Delivery, Webhook } from '../../../src/store/rows.ts';
import { createAccount, fresh, T0 } from './samples.ts';
import type { OpenSubject, StoreSubject } from './subject.ts';

const URL_OF_ALL = 'https://example.com/';

export const webhookOf = (accountId: string, fields: Partial<Webhook> = {}): Webhook => ({
  webhookId: fresh('whk'),
  accountId,
  url: URL_OF_ALL,
  types: ['balance.low', 'key.created'],
  enabled: true,
  disabledFor: null,
  secret: 'sealed:a',
  oldSecret: null,
  oldSecretUntil: null,
  cursor: 10,
  replays: 0,
  dueAt: null,
  pausedUntil: null,
  failingSince: null,
  createdAt: T0,
  ...fields,
});

export const delivery = (webhookId: string, eventId: number, fields: Partial<Delivery> = {}): Delivery => ({
  webhookId,
  eventId,
  state: 'delivered',
  attempts: 1,
  status: 204,
  detail: null,
  lastAt: T0,
  nextAt: null,
  ...fields,
});

export function describeWebhooks(open: OpenSubject): void {
  describe('webhooks', () => {
    let subject: StoreSubject;
    beforeAll(async () => {
      subject = await open();
    });
    afterAll(() => subject.close());

    const create = async (fields: Partial<Webhook> = {}): Promise<Webhook> => {
      const { accountId } = await createAccount(subject.store);
      const webhook = webhookOf(accountId, fields);
      expect(await subject.store.commit('createWebhook', { webhook, at: T0 })).toEqual({ ok: true, webhook });
      return webhook;
    };
    const read = (webhookId: string) => subject.store.read.webhook(webhookId);
    const failed = (webhookId: string, eventId: number, nextAt = T0 + 5_000) =>
      delivery(webhookId, eventId, { state: 'pending', status: 500, detail: 'it answered 500', nextAt });
    const record = (row: Delivery, from?: number, rest: { isGone?: boolean; at?: number; replays?: number } = {}) => {
      const { isGone = false, at = T0, replays = 0 } = rest;
      const move = from === undefined ? undefined : { from, to: row.eventId, replays };
      const { webhookId } = row;
      return subject.store.commit('recordDeliveries', {
        webhookId,
        deliveries: [row],
        url: URL_OF_ALL,
        move,
        isGone,
        at,
      });
    };

    test('one is stored as it was made, and found by account, by enabled and by due', async () => {
      const webhook = await create({ dueAt: T0 });
      expect(await read(webhook.webhookId)).toEqual(webhook);
      expect(await subject.store.read.webhooksOf(webhook.accountId)).toEqual([webhook]);
      expect(await subject.store.read.enabledWebhooksOf([webhook.accountId])).toEqual([webhook]);
      expect(await subject.store.read.enabledWebhooks('', 1_000)).toContainEqual(webhook);
      expect(await subject.store.read.dueWebhooks(T0, 1_000)).toContainEqual(webhook);
      expect(await subject.store.read.dueWebhooks(T0 - 1, 1_000)).not.toContainEqual(webhook);
    });

    test('an account has at most ten, and room again after one was deleted', async () => {
      const { accountId } = await createAccount(subject.store);
      const make = () => subject.store.commit('createWebhook', { webhook: webhookOf(accountId), at: T0 });
      const made = await Promise.all(Array.from({ length: 12 }, make));
      expect(made.filter(({ ok }) => ok)).toHaveLength(10);
      expect(made.filter(({ ok }) => !ok)).toEqual(
        Array.from({ length: 2 }, () => ({ ok: false, reason: 'too_many_webhooks' })),
      );
      const [one] = await subject.store.read.webhooksOf(accountId);
      const gone = { accountId, webhookId: one?.webhookId ?? '', at: T0 };
      expect(await subject.store.commit('deleteWebhook', gone)).toEqual({ ok: true });
      expect(await subject.store.commit('deleteWebhook', gone)).toEqual({ ok: false, reason: 'not_found' });
      expect(await make()).toMatchObject({ ok: true });
    });

    test('only its own account changes or deletes it', async () => {
      const { webhookId } = await create();
      const { accountId } = await createAccount(subject.store);
      const change = { accountId, webhookId, changes: { enabled: false }, at: T0 };
      expect(await subject.store.commit('changeWebhook', change)).toEqual({ ok: false, reason: 'not_found' });
      expect(await subject.store.commit('deleteWebhook', change)).toEqual({ ok: false, reason: 'not_found' });
      expect(await read(webhookId)).toMatchObject({ enabled: true });
    });

    test('nobody changes it with a key that was revoked meanwhile', async () => {
      const { webhookId, accountId } = await create();
      const by = { keyId: 'key_gone', keyHash: 'x' };
      const change = { accountId, webhookId, changes: {}, by, at: T0 };
      expect(await subject.store.commit('changeWebhook', change)).toEqual({ ok: false, reason: 'actor_gone' });
      expect(await subject.store.commit('deleteWebhook', change)).toEqual({ ok: false, reason: 'actor_gone' });
      const webhook = webhookOf(accountId);
      expect(await subject.store.commit('createWebhook', { webhook, by, at: T0 })).toMatchObject({ ok: false });
    });

    test('a delivery and the cursor are written together, in order', async () => {
      // Its event has the number 1 at least.
      await createAccount(subject.store);
      const { webhookId, accountId, cursor } = await create({ cursor: 0 });
      const [kept] = await subject.store.read.eventsOf({ accountId, after: cursor, limit: 1 });
      const eventId = kept?.eventId ?? 0;
      expect(eventId).toBeGreaterThan(cursor + 1);
      const [sent, pending] = [delivery(webhookId, cursor + 1), failed(webhookId, eventId)];
      expect(await Promise.all([record(sent, cursor), record(pending, cursor + 1)])).toEqual([
        { ok: true, disabledFor: null },
        { ok: true, disabledFor: null },
      ]);
      expect(await read(webhookId)).toMatchObject({ cursor: eventId, failingSince: T0 });
      const query = { webhookId, limit: 10 };
      expect(await subject.store.read.deliveriesOf(query)).toEqual([pending, sent]);
      expect(await subject.store.read.deliveriesOf({ ...query, state: 'pending' })).toEqual([pending]);
      expect(await subject.store.read.deliveriesOf({ ...query, before: eventId })).toEqual([sent]);
      expect(await subject.store.read.nextAttemptAt(webhookId)).toBe(T0 + 5_000);
      expect(await record(delivery(webhookId, eventId, { attempts: 2 }))).toMatchObject({ ok: true });
      expect(await subject.store.read.nextAttemptAt(webhookId)).toBeUndefined();
      expect(await read(webhookId)).toMatchObject({ cursor: eventId, failingSince: null });
    });

    test('a rest moves the cursor past events of other types, unless the webhook was changed meanwhile', async () => {
      const { webhookId, accountId } = await create({ dueAt: T0 });
      const rest = (move: { from: number; to: number; replays: number }, seenDueAt: number | null) =>
        subject.store.commit('scheduleWebhook', { webhookId, seenDueAt, dueAt: null, pausedUntil: null, move });
      await rest({ from: 10, to: 15, replays: 0 }, T0);
      expect(await read(webhookId)).toMatchObject({ cursor: 15, dueAt: null });
      await rest({ from: 15, to: 20, replays: 0 }, null);
      expect(await read(webhookId)).toMatchObject({ cursor: 20 });
      await subject.store.commit('changeWebhook', { accountId, webhookId, changes: { types: null }, at: T0 });
      await rest({ from: 20, to: 25, replays: 0 }, T0);
      expect(await read(webhookId)).toMatchObject({ cursor: 20, dueAt: null, replays: 1 });
    });

    test('a delivery whose event was deleted is not due any more', async () => {
      const { webhookId } = await create();
      const gone = Number.MAX_SAFE_INTEGER;
      expect(await record(failed(webhookId, gone), 10)).toMatchObject({ ok: true });
      expect(await subject.store.read.nextAttemptAt(webhookId)).toBeUndefined();
      expect(await subject.store.read.dueDeliveries(webhookId, gone, 10)).toEqual([]);
    });

    test('several deliveries are written at once: the last of them says whether it fails', async () => {
      const { webhookId } = await create();
      const rows = [failed(webhookId, 11), delivery(webhookId, 12), failed(webhookId, 13)];
      const move = { from: 10, to: 13, replays: 0 };
      const at = T0 + 7;
      expect(
        await subject.store.commit('recordDeliveries', {
          webhookId,
          deliveries: rows,
          url: URL_OF_ALL,
          move,
          isGone: false,
          at,
        }),
      ).toEqual({ ok: true, disabledFor: null });
      expect(await read(webhookId)).toMatchObject({ cursor: 13, failingSince: at });
      expect(await subject.store.read.deliveriesOf({ webhookId, limit: 10 })).toEqual(rows.toReversed());
    });

    test('a cursor that somebody else has moved stays where it is', async () => {
      const { webhookId, accountId } = await create();
      await record(delivery(webhookId, 11), 10);
      expect(await record(delivery(webhookId, 12), 10)).toEqual({ ok: false, reason: 'moved' });
      await subject.store.commit('changeWebhook', { accountId, webhookId, changes: {}, replayAfter: 11, at: T0 });
      // It is at the same place, but what was sent before the replay is to be sent again.
      expect(await record(delivery(webhookId, 12), 11)).toEqual({ ok: false, reason: 'moved' });
      expect(await record(delivery(webhookId, 12), 11, { replays: 1 })).toMatchObject({ ok: true });
      expect(await read(webhookId)).toMatchObject({ cursor: 12, replays: 1 });
    });

    test('what the receiver at an old URL answered is not written', async () => {
      const { webhookId } = await create({ url: 'https://example.com/new' });
      expect(await record(delivery(webhookId, 11), 10)).toEqual({ ok: false, reason: 'moved' });
      expect(await record(failed(webhookId, 9), undefined, { isGone: true })).toEqual({ ok: false, reason: 'moved' });
      expect(await read(webhookId)).toMatchObject({ cursor: 10, enabled: true, failingSince: null });
    });

    test('a webhook is disabled at once if its receiver is gone, and after five days of failures', async () => {
      const gone = await create();
      expect(await record(failed(gone.webhookId, 11), 10, { isGone: true })).toEqual({ ok: true, disabledFor: 'gone' });
      expect(await read(gone.webhookId)).toMatchObject({ enabled: false, disabledFor: 'gone', cursor: 11 });
      expect(await record(delivery(gone.webhookId, 12), 11)).toEqual({ ok: false, reason: 'gone' });

      const { webhookId, accountId } = await create();
      const failAt = (eventId: number, at: number) => record(failed(webhookId, eventId), eventId - 1, { at });
      await failAt(11, T0);
      expect(await failAt(12, T0 + 5 * DAY_MS - 1)).toEqual({ ok: true, disabledFor: null });
      expect(await failAt(13, T0 + 5 * DAY_MS)).toEqual({ ok: true, disabledFor: 'failing' });
      expect(await read(webhookId)).toMatchObject({ enabled: false, disabledFor: 'failing' });
      const at = T0 + 6 * DAY_MS;
      await subject.store.commit('changeWebhook', { accountId, webhookId, changes: { enabled: true }, at });
      expect(await read(webhookId)).toMatchObject({ enabled: true, disabledFor: null, failingSince: null, dueAt: at });
    });

    test('a rest is not written over somebody who asked for attention meanwhile', async () => {
      const { webhookId, accountId } = await create();
      const rest = (seenDueAt: number | null, dueAt: number | null) =>
        subject.store.commit('scheduleWebhook', { webhookId, seenDueAt, dueAt, pausedUntil: dueAt });
      await rest(null, T0 + 1);
      expect(await read(webhookId)).toMatchObject({ dueAt: T0 + 1, pausedUntil: T0 + 1 });
      await subject.store.commit('changeWebhook', { accountId, webhookId, changes: {}, at: T0 + 9 });
      await rest(T0 + 1, null);
      expect(await read(webhookId)).toMatchObject({ dueAt: T0 + 9, pausedUntil: null });
      await rest(T0 + 9, null);
      expect(await read(webhookId)).toMatchObject({ dueAt: null });
    });

    test('what a rotation replaces counts until then', async () => {
      const { webhookId, accountId } = await create();
      const rotation = { secret: 'sealed:b', oldUntil: T0 + DAY_MS };
      await subject.store.commit('changeWebhook', { accountId, webhookId, changes: {}, rotation, at: T0 });
      expect(await read(webhookId)).toMatchObject({
        secret: 'sealed:b',
        oldSecret: 'sealed:a',
        oldSecretUntil: T0 + DAY_MS,
      });
    });

    test('a role is taken by who knows its last value, and by one of several', async () => {
      const name = `role:${fresh('test')}` as const;
      expect(await subject.store.read.role(name)).toBeUndefined();
      const take = (expects: string | null, value: string) =>
        subject.store.commit('takeRole', { name, expects, value });
      const taken = await Promise.all(['a', 'b', 'c'].map((value) => take(null, value)));
      expect(taken.filter(({ isTaken }) => isTaken)).toHaveLength(1);
      const value = (await subject.store.read.role(name)) ?? '';
      expect(await take('x', 'y')).toEqual({ isTaken: false });
      expect(await take(value, 'z')).toEqual({ isTaken: true });
      expect(await subject.store.read.role(name)).toBe('z');
    });
  });
}
