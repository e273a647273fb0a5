// A node follows what another process applies, within a second.
import { afterEach, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Answer } from '../support/answer.ts';
import { eventually } from '../support/eventually.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { plainDocument } from '../support/plain-document.ts';
import { createWorkplace, type Workplace } from '../support/start-process.ts';

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
