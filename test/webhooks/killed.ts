// Many events to one webhook, while its receiver fails, goes away and comes back, and while the gateway is killed in the
// middle: each event arrives, and one that arrives twice has the same id and the same body.

import { expect, test } from 'bun:test';
import { systemClock } from '../../src/kit/clock.ts';
import type { Store } from '../../src/store/store.ts';
import type { Answer } from '../support/answer.ts';
import { eventually } from '../support/eventually.ts';
import { IS_LONG_RUN } from '../support/long-run.ts';
import { createWorkplace, type RunningServer, type Workplace } from '../support/start-process.ts';
import { startReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';

const EVENTS = IS_LONG_RUN ? 10_000 : 1_000;
const WAVES = 5;
const TIMEOUT_MS = 240_000;
const WITHIN_MS = 120_000;

export interface KilledDatabase {
  /** Of the server. */
  env: Readonly<Record<string, string>>;
  /** The same database beside the server. */
  open(workplace: Workplace): Promise<Store>;
}

export function testKilled(name: string, prepare: () => Promise<KilledDatabase>): void {
  test(
    `${name}: of ${EVENTS} events none is lost`,
    async () => {
      const database = await prepare();
      const workplace = createWorkplace();
      const receiver = await startReceiver();
      try {
        await killInTheMiddle(database, workplace, receiver);
      } finally {
        await workplace.remove();
        await receiver.stop();
      }
    },
    TIMEOUT_MS,
  );
}

async function killInTheMiddle(
  { env, open }: KilledDatabase,
  workplace: Workplace,
  receiver: WebhookReceiver,
): Promise<void> {
  const start = () => workplace.serve({ ALLOW_PRIVATE_WEBHOOKS: '1', ...env });
  const kill = async (server: RunningServer) => {
    server.signal('SIGKILL');
    await server.ended;
  };
  const until = (share: number) =>
    eventually(`${share} of the events have arrived`, () => receiver.ids.size >= EVENTS * share, WITHIN_MS);

  let server = await start();
  const webhookId = await addWebhook(server.url, receiver.url);
  const store = await open(workplace);
  const made: string[] = [];
  const makeWave = async () => made.push(...(await makeEvents(store, EVENTS / WAVES, made.length)));
  const untilTwoFailed = () =>
    eventually(
      'two deliveries have failed',
      async () => (await store.read.deliveriesOf({ webhookId, state: 'pending', limit: 2 })).length === 2,
      WITHIN_MS,
    );
  try {
    await makeWave();
    await until(0.05);
    await kill(server);
    await receiver.away();
    await makeWave();
    server = await start();
    await untilTwoFailed();
    receiver.back();
    await until(0.3);
    await kill(server);
    await makeWave();
    server = await start();
    await until(0.45);
    receiver.answer = () => 500;
    await makeWave();
    await untilTwoFailed();
    receiver.answer = () => 204;
    await until(0.7);
    await kill(server);
    await makeWave();
    await start();
    await until(1);
  } finally {
    await store.close();
  }
  const arrived = new Set(receiver.received.map(({ json }) => String(json.data.incident_id)));
  expect([...arrived].toSorted()).toEqual(made.toSorted());
  const bodies = Map.groupBy(receiver.received, ({ id }) => id);
  expect(bodies.size).toBe(EVENTS);
  for (const same of bodies.values()) expect(new Set(same.map(({ body }) => body)).size).toBe(1);
}

async function addWebhook(url: string, receiverUrl: string): Promise<string> {
  const headers = { 'content-type': 'application/json' };
  const registered: Answer = await (await fetch(`${url}/api/agent/register`, { method: 'POST' })).json();
  const response = await fetch(`${url}/api/webhooks`, {
    method: 'POST',
    headers: { ...headers, authorization: `Bearer ${registered.api_key}` },
    body: JSON.stringify({ url: receiverUrl, types: ['incident.opened'] }),
  });
  expect(response.status).toBe(201);
  return ((await response.json()) as Answer).id;
}

async function makeEvents(store: Store, count: number, from: number): Promise<string[]> {
  const at = systemClock.now();
  const words = { titleEn: 'a', titleZh: 'b', textEn: '', textZh: '' };
  const ids = Array.from({ length: count }, (_, index) => `inc_${String(from + index).padStart(6, '0')}`);
  const AT_ONCE = 200;
  for (let first = 0; first < ids.length; first += AT_ONCE) {
    await Promise.all(
      ids.slice(first, first + AT_ONCE).map((incidentId) => {
        const incident = { incidentId, startedAt: at, endedAt: null, createdAt: at, ...words };
        return store.commit('putIncident', { incident });
      }),
    );
  }
  return ids;
}
