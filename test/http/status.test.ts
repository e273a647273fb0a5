// GET /api/public/status: what real traffic says, now and hour by hour, over a restart.

import { describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Answer } from '../support/answer.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { chatAnswer, chatStream, errorScript } from '../support/openai-chat.ts';
import { operatorOf } from '../support/operator.ts';
import { bodyLength, cutAt, type Script } from '../support/script.ts';
import { createShiftedClock, type ShiftedClock } from '../support/shifted-clock.ts';
import { readSse } from '../support/sse.ts';
import type { TestDocument } from '../support/test-document.ts';
import { twoChannels } from '../support/two-channels.ts';
import { startUpstream } from '../support/upstream.ts';

async function channelOf(gateway: TestGateway, model: string, name = 'up'): Promise<Answer> {
  const response = await gateway.call('/api/public/status');
  expect(response.status).toBe(200);
  const { data } = (await response.json()) as { data: Answer[] };
  return data.find(({ id }) => id === model)?.channels.find((channel: Answer) => channel.name === name);
}

const PAUSE_MS = 150;
/** So long the figures of a moment are told. */
const KEPT_MS = 5_000;
const HOUR_MS = 3_600_000;

/** Figures are kept by the hour: here none turns while a test runs. */
function atHalfPast(): ShiftedClock {
  const clock = createShiftedClock();
  clock.skip(HOUR_MS / 2 - (clock.now() % HOUR_MS));
  return clock;
}

function late(script: Script, ms: number): Script {
  return { ...script, body: [ms, ...(script.body ?? [])] };
}

test('successes, failures and times of each channel and model, also after a restart', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'gateway-status-'));
  const clock = atHalfPast();
  const first = await startTestGateway({ dataDir, clock });
  const account = await first.register();
  expect(await channelOf(first, 'up-paid')).toMatchObject({ name: 'up', state: 'unknown', last_hour: { requests: 0 } });

  first.upstream.next(late(chatAnswer(), PAUSE_MS));
  await first.chat(account.key, { model: 'up-paid' });
  first.upstream.next(late(chatStream(), 2 * PAUSE_MS));
  await readSse(await first.chat(account.key, { model: 'up-paid', stream: true }));
  first.upstream.otherwise(errorScript(404, { message: 'gone' }));
  await first.chat(account.key, { model: 'up-paid' });
  first.upstream.reset();

  clock.skip(KEPT_MS);
  const now = await channelOf(first, 'up-paid');
  expect(now).toMatchObject({ state: 'degraded', last_5_minutes: { requests: 3 }, last_hour: { requests: 3 } });
  expect(now.last_hour.success_rate).toBeCloseTo(2 / 3);
  const { data } = await first.get('/api/usage', account.key);
  const [, streamed, whole] = data;
  expect(now.last_hour.first_token_ms.p50).toBeWithin(2 * PAUSE_MS - 5, streamed.first_token_ms + 1);
  expect(now.last_hour.first_token_ms.p95).toBe(now.last_hour.first_token_ms.p50);
  expect(now.last_hour.total_ms.p50).toBeWithin(2 * PAUSE_MS - 5, streamed.total_ms + 1);
  expect(now.last_hour.whole_ms.p50).toBeWithin(PAUSE_MS - 5, whole.total_ms + 1);
  await first.stop();

  const second = await startTestGateway({ dataDir, clock });
  const { history, last_hour } = await channelOf(second, 'up-paid');
  expect(last_hour.requests).toBe(0);
  expect(history.reduce((sum: number, hour: Answer) => sum + hour.requests, 0)).toBe(3);
  // Of a histogram whose step ends there.
  const hour = history.find(({ requests }: Answer) => requests > 0);
  expect(hour.first_token_ms.p50).toBeGreaterThanOrEqual(300);
  expect(hour.total_ms.p50).toBeGreaterThanOrEqual(300);
  expect(hour.whole_ms.p50).toBeGreaterThanOrEqual(200);
  await second.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

describe('what another channel took before is not in a channel’s times', () => {
  const SILENCE_MS = 400;
  const [ROLE = '', WORD = ''] = (chatStream().body ?? []) as string[];
  const broken: [what: string, script: Script][] = [
    ['silent before its first word', cutAt(chatStream(), 'head', 'stall')],
    ['silent after it', cutAt(chatStream(), bodyLength({ body: [ROLE, WORD] }), 'stall')],
  ];

  test.each(broken)('%s', async (_, script) => {
    const other = await startUpstream();
    const channels = twoChannels(other.baseUrl);
    const { both, first, second } = channels.take();
    // Of the silent one alone: the other may take its time.
    const timeouts = { first_token_ms: SILENCE_MS, idle_ms: SILENCE_MS };
    const document = (standard: TestDocument) => {
      const made = channels.document(standard);
      return { ...made, channels: made.channels.map((one) => (one.name === first ? { ...one, timeouts } : one)) };
    };
    const gateway = await startTestGateway({ document });
    const { key } = await gateway.register();
    gateway.upstream.otherwise(script);
    other.otherwise(chatStream());
    await readSse(await gateway.chat(key, { model: both, stream: true }));

    const { data } = await gateway.get('/api/usage', key);
    const served = (await channelOf(gateway, both, second)).last_hour;
    expect(served).toMatchObject({ requests: 1, success_rate: 1 });
    expect(data[0].total_ms).toBeGreaterThanOrEqual(SILENCE_MS);
    // Both are rounded.
    expect(served.total_ms.p50).toBeLessThanOrEqual(data[0].total_ms - SILENCE_MS + 2);
    expect(served.first_token_ms.p95).toBeLessThanOrEqual(served.total_ms.p95);
    expect((await channelOf(gateway, both, first)).last_hour).toMatchObject({
      success_rate: 0,
      first_token_ms: { p50: null },
      total_ms: { p50: null },
    });

    const scrape = await operatorOf(gateway).scrape();
    const labels = { model: both, channel: second };
    expect(scrape.value('gateway_request_seconds_count', labels)).toBe(1);
    expect(Math.round(scrape.value('gateway_request_seconds_sum', labels) * 1_000)).toBe(served.total_ms.p50);
    expect(Math.round(scrape.value('gateway_first_token_seconds_sum', labels) * 1_000)).toBe(served.first_token_ms.p50);
    await gateway.stop();
    await other.close();
  });
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
