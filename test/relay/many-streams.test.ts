// Many streams at once in a process of their own: what one costs in memory while it waits, while its client reads slowly,
// and how soon an upstream hears that its client has left. The figures are printed; the bounds are generous.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { createGate, eventually } from '../support/eventually.ts';
import { chatChunks, sseScript, sseText } from '../support/openai-chat.ts';
import { cutAt } from '../support/script.ts';
import { type SlowClient, startSlowClient } from '../support/slow-client.ts';
import { createWorkplace, type RunningServer, type Workplace } from '../support/start-process.ts';
import { testDocument, upModel } from '../support/test-document.ts';
import { type ScriptedUpstream, startUpstream } from '../support/upstream.ts';

const OPEN_STREAMS = 1_000;
const SLOW_READERS = 200;
const HANG_UPS = 40;
const MIB = 1024 * 1024;

const [ROLE = '', HELLO = ''] = chatChunks({ pieces: ['Hello'] }).map((chunk) => sseText(JSON.stringify(chunk)));
const WORDS = HELLO.replace('Hello', ' word'.repeat(1_200));
let place: Workplace;
let server: RunningServer;
let upstream: ScriptedUpstream;
let key: string;

beforeAll(async () => {
  upstream = await startUpstream();
  place = createWorkplace();
  const standard = testDocument(upstream.baseUrl);
  place.write('gateway.yaml', {
    ...standard,
    limits: { ...standard.limits, paid_per_minute: 100_000, in_flight: 10_000 },
    models: [...standard.models, upModel('cheap', { price: { input: 0.001, output: 0.001 } })],
  });
  server = await place.serve({ BUN_CONFIG_MAX_HTTP_REQUESTS: '65535' });
  const response = await fetch(`${server.url}/api/agent/register`, { method: 'POST' });
  key = ((await response.json()) as { api_key: string }).api_key;
});
afterAll(async () => {
  await place.remove();
  await upstream.close();
});

function memory(): number {
  const status = readFileSync(`/proc/${server.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
}

const open = (): SlowClient =>
  startSlowClient({
    port: Number(new URL(server.url).port),
    path: '/v1/chat/completions',
    key,
    body: { model: 'cheap', stream: true, max_tokens: 50, messages: [{ role: 'user', content: 'Hi' }] },
  });

/** Who is turned away because the gateway is busy (503) tries again. */
async function openUntil(marker: string): Promise<SlowClient> {
  for (;;) {
    const client = open();
    const heard = () => client.text().includes(marker) || client.text().startsWith('HTTP/1.1 503');
    await eventually('the first words', heard, 60_000);
    if (client.text().includes(marker)) return client;
    client.hangUp();
  }
}

async function openMany(count: number, marker: string): Promise<SlowClient[]> {
  const clients: SlowClient[] = [];
  for (let from = 0; from < count; from += 50) {
    const some = Array.from({ length: Math.min(50, count - from) }, () => openUntil(marker));
    clients.push(...(await Promise.all(some)));
  }
  return clients;
}

async function untilClosed(): Promise<void> {
  const me = async () => (await fetch(`${server.url}/api/me`, { headers: { authorization: `Bearer ${key}` } })).json();
  await eventually(
    'every call to be closed',
    async () => ((await me()) as { held_nano: string }).held_nano === '0',
    60_000,
  );
}

test.skipIf(process.platform !== 'linux')(
  `${OPEN_STREAMS} open streams`,
  async () => {
    upstream.otherwise(cutAt(sseScript([ROLE, HELLO]), ROLE.length + HELLO.length, 'stall'));
    for (const client of await openMany(20, 'Hello')) client.hangUp();
    await untilClosed();
    const before = memory();
    const clients = await openMany(OPEN_STREAMS, 'Hello');
    const each = (memory() - before) / OPEN_STREAMS;
    process.stdout.write(`memory of an open stream: ${(each / 1024).toFixed(0)} KiB (${OPEN_STREAMS} open)\n`);
    expect(each).toBeLessThan(400 * 1024);
    for (const client of clients) client.hangUp();
    await untilClosed();
  },
  240_000,
);

test.skipIf(process.platform !== 'linux')(
  `${SLOW_READERS} clients that stopped reading a flood`,
  async () => {
    function* endless() {
      for (;;) yield WORDS;
    }
    upstream.reset();
    const gate = createGate();
    upstream.otherwise(() => ({ ...sseScript([]), body: [ROLE, HELLO, gate.opened], rest: endless() }));
    const before = memory();
    const clients = await openMany(SLOW_READERS, 'Hello');
    for (const client of clients) client.pause();
    gate.open();
    // Still: every buffer between the upstream and the clients is full.
    let last = 0;
    let still = 0;
    await eventually(
      'memory to settle',
      async () => {
        await Bun.sleep(50);
        const now = memory();
        still = Math.abs(now - last) < 4 * MIB ? still + 1 : 0;
        last = now;
        return still >= 5;
      },
      120_000,
    );
    const extra = memory() - before;
    process.stdout.write(`memory of ${SLOW_READERS} slow readers: ${(extra / MIB).toFixed(0)} MiB\n`);
    expect(extra).toBeLessThan(SLOW_READERS * 5 * MIB);
    for (const client of clients) client.hangUp();
    await untilClosed();
  },
  240_000,
);

test('a client’s leaving reaches its upstream', async () => {
  upstream.reset();
  upstream.otherwise(cutAt(sseScript([ROLE, HELLO]), ROLE.length + HELLO.length, 'stall'));
  const delays: number[] = [];
  for (let n = 0; n < HANG_UPS; n++) {
    const client = await openUntil('Hello');
    const seen = await upstream.request(n);
    const since = performance.now();
    client.hangUp();
    const leftAt = await eventually('the upstream to be left', () => seen.abortedAt);
    delays.push(leftAt - since);
  }
  delays.sort((a, b) => a - b);
  const median = delays[HANG_UPS / 2] ?? 0;
  process.stdout.write(
    `from a client's leaving to its upstream's: median ${median.toFixed(1)} ms, worst ${delays.at(-1)?.toFixed(1)} ms\n`,
  );
  expect(median).toBeLessThan(2_000);
  await untilClosed();
});
