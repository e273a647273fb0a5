// A key in a file is replaced while the server runs: calls find the new one as soon as the upstream refuses the old one.

import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { chatAnswer } from '../support/openai-chat.ts';
import type { Script } from '../support/script.ts';
import { createShiftedClock } from '../support/shifted-clock.ts';

let folder: string;
let gateway: TestGateway;
const clock = createShiftedClock();
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gateway-key-'));
  replaceKey('fake-old-key');
  gateway = await startTestGateway({
    clock,
    document: ({ channels: [demo, up], ...rest }) => ({
      ...rest,
      channels: [{ ...demo }, { ...up, api_key: `file:${join(folder, 'key')}` }],
    }),
  });
});
afterEach(async () => {
  await gateway.stop();
  rmSync(folder, { recursive: true, force: true });
});

const replaceKey = (key: string) => writeFileSync(join(folder, 'key'), `${key}\n`);
const json = (status: number, body: unknown): Script => ({ status, body: [JSON.stringify(body)] });

/** Past the pause of a breaker that has just opened; the node's lease with it. */
function pass(): void {
  clock.skip(5_000);
  gateway.sql('UPDATE leases SET expires_at = expires_at + 5000 RETURNING node_id');
}

test.each([
  ['401', json(401, { error: { message: 'Incorrect API key provided', code: 'invalid_api_key' } })],
  ['400, in words', json(400, { error: { message: 'API key expired. Please renew the API key.' } })],
])('it is refused with %s', async (_, refusal) => {
  let valid = 'fake-old-key';
  gateway.upstream.otherwise(({ headers }) => (headers.authorization === `Bearer ${valid}` ? chatAnswer() : refusal));
  const { key } = await gateway.register();
  const call = async () => (await gateway.chat(key, { model: 'up-paid' })).status;
  expect(await call()).toBe(200);
  valid = 'fake-new-key';
  expect(await call()).toBe(502);
  replaceKey('fake-new-key');
  pass();
  expect(await call()).toBe(200);
  expect(gateway.upstream.requests.at(-1)?.headers.authorization).toBe('Bearer fake-new-key');
});
