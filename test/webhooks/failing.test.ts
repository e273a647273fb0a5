// Receivers that fail: what they miss is sent later, and nobody else waits for them.

import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import type { Answer } from '../support/answer.ts';
import { createKey } from '../support/create-key.ts';
import { eventuallyInSteps } from '../support/eventually.ts';
import { startTestGateway, type TestAccount, type TestGateway } from '../support/gateway.ts';
import { createManualClock, type ManualClock } from '../support/manual-clock.ts';
import { startReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

let clock: ManualClock;
let gateway: TestGateway;
let receiver: WebhookReceiver;
let account: TestAccount;
beforeEach(async () => {
  clock = createManualClock();
  receiver = await startReceiver();
  gateway = await startTestGateway({ clock, env: { ALLOW_PRIVATE_WEBHOOKS: '1' } });
  account = await gateway.register();
});
afterEach(async () => {
  await gateway.stop();
  await receiver.stop();
});

async function addWebhook(url = receiver.url): Promise<Answer> {
  const body = { url, types: ['key.created'] };
  return (await gateway.call('/api/webhooks', { key: account.key, body })).json();
}
const show = (id: string) => gateway.get(`/api/webhooks/${id}`, account.key);
const deliveries = async (id: string): Promise<Answer[]> =>
  (await gateway.get(`/api/webhooks/${id}/deliveries?limit=200`, account.key)).data;
const makeKeys = async (count: number): Promise<string[]> => {
  const ids: string[] = [];
  for (let made = 0; made < count; made++) ids.push((await createKey(gateway, account.key)).id);
  return ids;
};
const keysOf = (received: WebhookReceiver['received']) => received.map(({ json }) => json.data.key_id);

/** Seconds go by until it is so. */
const whileTimePasses = (what: string, check: () => boolean | Promise<boolean>) =>
  eventuallyInSteps(what, async () => {
    await clock.advance(1_000);
    return check();
  });

/** A long time goes by, in which everything is sent that falls due. */
async function pass(ms: number, stepMs = 5 * MINUTE): Promise<void> {
  const db = new Database(gateway.databaseFile, { readonly: true });
  const quiet = db.query<{ due: number; lease: number }, [number]>(
    `SELECT (SELECT count(*) FROM webhooks WHERE enabled AND due_at <= ?) AS due, max(expires_at) AS lease FROM leases`,
  );
  const isQuiet = () => {
    const row = quiet.get(clock.now());
    return row?.due === 0 && row.lease > clock.now();
  };
  try {
    for (let passed = 0; passed < ms; passed += stepMs) {
      clock.step(stepMs);
      await whileTimePasses('nothing is due', isQuiet);
    }
  } finally {
    db.close();
  }
}

test('a receiver that is down for an hour gets all of them', async () => {
  const { id } = await addWebhook();
  await receiver.away();
  const keys = await makeKeys(5);
  await whileTimePasses('a failure', async () => (await deliveries(id)).length > 0);
  await pass(30 * MINUTE);
  keys.push(...(await makeKeys(5)));
  await pass(30 * MINUTE);
  expect(receiver.received).toHaveLength(0);
  expect(await show(id)).toMatchObject({ enabled: true, failing_since: expect.any(String) });
  receiver.back();
  await pass(HOUR);
  await whileTimePasses('all events', () => receiver.received.length >= 10);
  const [first, ...others] = keysOf(receiver.received);
  // One attempt shows that it is back; then everything follows in its order.
  expect(others).toEqual(keys.filter((key) => key !== first));
  expect(new Set(receiver.received.map((one) => one.id)).size).toBe(10);
  await whileTimePasses('all recorded', async () => (await deliveries(id)).every(({ state }) => state === 'delivered'));
  expect(await deliveries(id)).toHaveLength(10);
  expect(await show(id)).toMatchObject({ failing_since: null });
});

test('a failure is listed with what was answered and when it is tried again', async () => {
  const { id } = await addWebhook();
  receiver.answer = () => 500;
  await makeKeys(1);
  await whileTimePasses('a failure', async () => (await deliveries(id)).length > 0);
  const [failed] = await deliveries(id);
  expect(failed).toMatchObject({ state: 'pending', attempts: 1, last_status: 500, last_error: 'it answered 500' });
  const waitMs = Date.parse(failed.next_attempt_at) - Date.parse(failed.last_attempt_at);
  expect(waitMs).toBeGreaterThanOrEqual(5_000);
  expect(waitMs).toBeLessThanOrEqual(5_500);
  receiver.answer = () => 204;
  await whileTimePasses('the second attempt', async () => (await deliveries(id))[0].state === 'delivered');
  expect((await deliveries(id))[0]).toMatchObject({ attempts: 2, last_status: 204, next_attempt_at: null });
  expect(receiver.received).toHaveLength(2);
  expect(receiver.received[0]?.id).toBe(receiver.received[1]?.id ?? '');
  expect(receiver.received[0]?.body).toBe(receiver.received[1]?.body ?? '');
});

test('events that alone are refused hold up no other, whenever they are tried again', async () => {
  const { id } = await addWebhook();
  const keys = await makeKeys(4);
  const refused = keys.slice(0, 3);
  receiver.answer = ({ json }) => (refused.includes(String(json.data.key_id)) ? 422 : 204);
  const delivered = async () => (await deliveries(id)).filter(({ state }) => state === 'delivered').length;
  await whileTimePasses('the good one', async () => (await delivered()) === 1);
  await pass(2 * HOUR, 10 * MINUTE);
  await makeKeys(1);
  const before = clock.now();
  await whileTimePasses('the next good one', async () => (await delivered()) === 2);
  expect(clock.now() - before).toBeLessThan(MINUTE);
});

test('a redirect is a failure and is not followed', async () => {
  const { id } = await addWebhook();
  receiver.answer = () => 307;
  await makeKeys(1);
  await whileTimePasses('a failure', async () => (await deliveries(id)).length > 0);
  expect((await deliveries(id))[0]).toMatchObject({ state: 'pending', last_status: 307 });
  expect(receiver.received).toHaveLength(1);
});

test('410 disables the webhook', async () => {
  const { id } = await addWebhook();
  receiver.answer = () => 410;
  await makeKeys(2);
  await whileTimePasses('it is disabled', async () => !(await show(id)).enabled);
  expect(await show(id)).toMatchObject({ disabled_for: 'gone' });
  expect(receiver.received).toHaveLength(1);
  expect(await deliveries(id)).toMatchObject([{ state: 'failed', attempts: 1, last_status: 410 }]);
  expect(gateway.log.lines().filter(({ event }) => event === 'webhook_disabled')).toMatchObject([
    { level: 'warn', account_id: account.accountId, code: 'gone', detail: id },
  ]);
});

test('after a day of failures a delivery is given up; after five days the webhook is disabled', async () => {
  const { id } = await addWebhook();
  receiver.answer = () => 503;
  await makeKeys(1);
  await whileTimePasses('a failure', async () => (await deliveries(id)).length > 0);
  await pass(26 * HOUR, 10 * MINUTE);
  expect(await deliveries(id)).toMatchObject([{ state: 'failed', attempts: 9, next_attempt_at: null }]);
  expect(await show(id)).toMatchObject({ enabled: true });
  await pass(4 * DAY, 6 * HOUR);
  await makeKeys(1);
  await whileTimePasses('it is disabled', async () => !(await show(id)).enabled);
  expect(await show(id)).toMatchObject({ disabled_for: 'failing' });
});

test('a receiver that never answers is given up after 15 seconds, and others do not wait for it', async () => {
  const slow = await startReceiver();
  slow.answer = () => new Promise<number>(() => {});
  const { id } = await addWebhook(slow.url);
  await addWebhook();
  const keys = await makeKeys(1);
  await whileTimePasses('the other one has it', () => receiver.received.length === 1);
  expect(keysOf(receiver.received)).toEqual(keys);
  await whileTimePasses('a failure', async () => (await deliveries(id)).length > 0);
  expect((await deliveries(id))[0]).toMatchObject({ last_status: null, last_error: 'no answer within 15 s' });
  await slow.stop();
});

test('receivers that answer slowly give way to others of their account, however much they have to get', async () => {
  const slow = await Promise.all([startReceiver(), startReceiver()]);
  for (const one of slow) {
    one.answer = () => new Promise<number>((resolve) => clock.after(10_000, () => resolve(204)));
    await addWebhook(one.url);
  }
  const EVENTS = 20;
  await makeKeys(EVENTS);
  await whileTimePasses('both are called', () => slow.every(({ received }) => received.length > 0));
  await addWebhook();
  await makeKeys(1);
  await whileTimePasses('the third one has its event', () => receiver.received.length === 1);
  // Two turns of theirs at most, each of 15 s and the attempt that runs then. The clock goes on while a busy machine still sends:
  // their events are counted, not the time.
  for (const { received } of slow) expect(received.length).toBeLessThan(EVENTS / 2);
  await Promise.all(slow.map((one) => one.stop()));
});

test('a webhook with a new URL sends no more to the old one, also in the middle of many events', async () => {
  const next = await startReceiver();
  const { id } = await addWebhook();
  let isChanged = false;
  receiver.answer = async () => {
    if (receiver.received.length === 3) {
      const changed = await gateway.call(`/api/webhooks/${id}`, {
        method: 'PATCH',
        key: account.key,
        body: { url: next.url },
      });
      isChanged = changed.ok;
    }
    return 204;
  };
  const keys = await makeKeys(30);
  await whileTimePasses('the last event', () => keysOf(next.received).includes(keys[29]));
  expect(isChanged).toBe(true);
  // The old one gets what was sent before the change was seen. All of that is sent to the new one, too.
  expect(receiver.received.length).toBeLessThanOrEqual(3 + 8);
  expect(keysOf(next.received)).toEqual(expect.arrayContaining(keys.slice(3)));
  await next.stop();
});

describe('what is old', () => {
  test('deliveries are deleted with their events', async () => {
    const { id } = await addWebhook();
    await makeKeys(1);
    await whileTimePasses('the delivery', async () => (await deliveries(id)).length === 1);
    await pass(31 * DAY, 31 * DAY);
    await pass(20 * MINUTE, 10 * MINUTE);
    await whileTimePasses('it is gone', async () => (await deliveries(id)).length === 0);
  });
});
