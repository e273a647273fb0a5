// A stream of events on one node has what another node on the same PostgreSQL writes, within a second.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { eventually } from '../support/eventually.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { createManualClock, type ManualClock } from '../support/manual-clock.ts';
import { passAnswered } from '../support/pass-time.ts';
import { sharePostgres, type TestDatabases } from '../support/postgres.ts';

let server: TestDatabases;
let near: TestGateway;
/** Its time stands still unless the test moves it. */
let far: TestGateway;
let clock: ManualClock;
beforeAll(async () => {
  server = await sharePostgres();
  const { url } = await server.createDatabase();
  const env = { DATABASE_URL: url, SECRETS_PEPPER: 'a pepper for both nodes' };
  near = await startTestGateway({ env });
  clock = createManualClock(Date.now());
  far = await startTestGateway({ env, clock });
});
afterAll(async () => {
  await near.stop();
  await far.stop();
  await server.stop();
});

test('an event of another node comes within a second, with the same id', async () => {
  const { key } = await near.register();
  const leaving = new AbortController();
  const headers = { accept: 'text/event-stream' };
  const response = await far.call('/api/events', { key, headers, signal: leaving.signal });
  let text = '';
  const read = async () => {
    for await (const bytes of response.body ?? []) text += Buffer.from(bytes).toString();
  };
  const ended = read().catch(() => {});
  const ids = () => [...text.matchAll(/^id: (.*)$/gm)].map(([, id]) => id);
  await eventually('the first event', () => ids().length === 1);
  await near.call('/api/keys', { key, body: {} });
  await passAnswered(far, clock, 1_000);
  // Its time stands still again: the event is on its way.
  await eventually('the event of the other node', () => ids().length === 2);
  const { data } = await near.get('/api/events', key);
  expect(ids()).toEqual(data.map(({ id }: { id: string }) => id));
  leaving.abort();
  await ended;
});
