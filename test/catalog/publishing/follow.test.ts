// A node follows what another process applies, within a second; while it cannot, its log says so without a flood.
import { afterEach, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fault } from '../../../src/faults/fault.ts';
import type { Answer } from '../../support/answer.ts';
import { createGate, eventually } from '../../support/eventually.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import { plainDocument } from '../../support/plain-document.ts';
import { createWorkplace, type Workplace } from '../../support/start-process.ts';

let gateway: TestGateway | undefined;
let place: Workplace | undefined;
afterEach(async () => {
  await gateway?.stop();
  await place?.remove();
  gateway = undefined;
  place = undefined;
});

test('the catalog of another process is in force after one second of the clock', async () => {
  const clock = createManualClock(Date.now());
  gateway = await startTestGateway({ clock });
  place = createWorkplace();
  const shown = async (): Promise<Answer> => (await gateway?.call('/api/public/catalog'))?.json();
  expect(await shown()).toMatchObject({ revision: 1 });

  const file = join(place.folder, 'other.yaml');
  writeFileSync(file, JSON.stringify(plainDocument()));
  const applied = await place.gateway(['config', 'apply', file], { DATA_DIR: gateway.dataDir });
  expect(applied).toMatchObject({ exitCode: 0, stdout: 'applied as revision 2\n' });
  expect(await shown()).toMatchObject({ revision: 1 });

  await clock.advance(1_000);
  await eventually('the new catalog', async () => (await shown()).revision === 2);
  expect((await shown()).data.map((model: Answer) => model.id)).toEqual(['auto:free', 'paid']);
});

test('a key revoked elsewhere stops within a second, also while the store answers slowly', async () => {
  const clock = createManualClock();
  const own = await startTestGateway({ clock });
  gateway = own;
  const { store } = own.gateway;
  const { pulse } = store.read;
  const { key, keyId, accountId } = await own.register();
  const statusNow = async () => (await own.call('/api/me', { key })).status;
  const answer = createGate();
  let hasLooked = false;
  store.read.pulse = async () => {
    const seen = await pulse();
    hasLooked = true;
    await answer.opened;
    return seen;
  };
  await clock.advance(400);
  await eventually('the store has looked', () => hasLooked);
  expect(await statusNow()).toBe(200);
  await store.commit('revokeKey', { accountId, keyId, at: clock.now(), evenIfLast: true });
  await clock.advance(900);
  answer.open();
  await clock.advance(100);
  expect(await statusNow()).toBe(401);
});

test('a store that is away is told once a minute, with its own reason, and that it is back', async () => {
  const clock = createManualClock();
  const own = await startTestGateway({ clock });
  gateway = own;
  const { read } = own.gateway.store;
  const { pulse } = read;
  const told = () => own.log.lines().filter(({ event }) => /^store_(not_)?followed$/.test(String(event)));
  let asked = 0;
  const isAskedAgain = async () => {
    const before = asked;
    await clock.advance(400);
    await eventually('it asks again', () => asked > before);
  };

  read.pulse = () => {
    asked++;
    return Promise.reject(fault('unavailable', { internal: 'store: it is away' }));
  };
  for (let n = 0; n < 10; n++) await isAskedAgain();
  expect(told()).toMatchObject([{ level: 'error', event: 'store_not_followed', detail: 'store: it is away' }]);
  await clock.advance(60_000);
  for (let n = 0; n < 10; n++) await isAskedAgain();
  expect(told()).toHaveLength(2);

  read.pulse = pulse;
  await clock.advance(400);
  await eventually('it is back', () => told().length > 2);
  await clock.advance(2_000);
  expect(told().slice(2)).toMatchObject([{ level: 'info', event: 'store_followed' }]);
});
