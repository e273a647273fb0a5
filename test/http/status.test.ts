// GET /api/public/status: what real traffic says, now and hour by hour, over a restart.

import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Answer } from '../support/answer.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { chatAnswer, chatStream, errorScript } from '../support/openai-chat.ts';
import { readSse } from '../support/sse.ts';

async function channelOf(gateway: TestGateway, model: string): Promise<Answer> {
  const response = await gateway.call('/api/public/status');
  expect(response.status).toBe(200);
  const { data } = (await response.json()) as { data: Answer[] };
  const [channel] = data.find(({ id }) => id === model)?.channels ?? [];
  return channel;
}

test('successes, failures and times of each channel and model, also after a restart', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'gateway-status-'));
  const first = await startTestGateway({ dataDir });
  const account = await first.register();
  expect(await channelOf(first, 'up-paid')).toMatchObject({ name: 'up', state: 'unknown', last_hour: { requests: 0 } });

  first.upstream.next(chatAnswer());
  await first.chat(account.key, { model: 'up-paid' });
  first.upstream.next(chatStream());
  await readSse(await first.chat(account.key, { model: 'up-paid', stream: true }));
  first.upstream.otherwise(errorScript(404, { message: 'gone' }));
  await first.chat(account.key, { model: 'up-paid' });
  first.upstream.reset();

  const now = await channelOf(first, 'up-paid');
  expect(now).toMatchObject({ state: 'degraded', last_5_minutes: { requests: 3 }, last_hour: { requests: 3 } });
  expect(now.last_hour.success_rate).toBeCloseTo(2 / 3);
  expect(now.last_hour.total_ms.p50).toBeGreaterThanOrEqual(0);
  expect(now.last_hour.first_token_ms.p50).toBeGreaterThanOrEqual(0);
  await first.stop();

  const second = await startTestGateway({ dataDir });
  const { history, last_hour } = await channelOf(second, 'up-paid');
  expect(last_hour.requests).toBe(0);
  expect(history.reduce((sum: number, hour: Answer) => sum + hour.requests, 0)).toBe(3);
  expect(history[0].total_ms.p95).toBeGreaterThan(0);
  await second.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

test('days are told when they are asked for, incidents always', async () => {
  const gateway = await startTestGateway();
  const ask = async (query: string): Promise<Answer> => (await gateway.call(`/api/public/status${query}`)).json();
  const plain = await ask('');
  expect(plain.incidents).toEqual([]);
  expect(plain.data[0].channels[0].days).toBeUndefined();
  const { days } = (await ask('?days=7')).data[0].channels[0];
  expect(days).toHaveLength(7);
  expect(days[6]).toEqual({ day: expect.stringMatching(/^\d{4}-\d\d-\d\d$/), state: 'unknown' });
  for (const bad of ['91', '-1', 'x', '1.5']) expect((await ask(`?days=${bad}`)).error.param).toBe('days');
  await gateway.stop();
});

test('no name of an upstream’s host, key or own model is in it', async () => {
  const gateway = await startTestGateway();
  const text = await (await gateway.call('/api/public/status')).text();
  expect(text).toContain('"up-paid"');
  for (const secret of ['scripted-2026-01', '127.0.0.1', 'fake-upstream']) expect(text).not.toContain(secret);
  await gateway.stop();
});
