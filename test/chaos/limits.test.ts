// A gateway with few file descriptors under more connections than that, one with less memory than the bodies that it gets,
// and one whose clock is set while it serves.

import { expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HOUR_MS, systemClock } from '../../src/kit/clock.ts';
import { dial, type Line } from '../support/dial.ts';
import { createGate, eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { startTestGateway } from '../support/gateway.ts';
import { chatStream } from '../support/openai-chat.ts';
import { parseSse, usageOf } from '../support/sse.ts';
import { type Caller, chat, register } from '../torture/calls.ts';
import { type Account, noFacts } from '../torture/facts.ts';
import { type Server, startServer } from '../torture/server.ts';
import { tortureDocument } from '../torture/torture.ts';
import { startTortureUpstream } from '../torture/upstream.ts';
import { tablesOfFile, verify } from '../torture/verify.ts';

setDefaultTimeout(120_000);

const DESCRIPTORS = 64;
const CROWD = 120;
/** Of address space: Bun needs about half of it. */
const MEMORY_KB = 2_000_000;
const BODY_BYTES = 16 * 1024 * 1024;
const BODIES = 120;
const ACCOUNTS = 3;
/** One account can have a quarter of it, so that another one is still served. */
const BODY_MEGABYTES = 256;
const MOST_ACCEPTED = (ACCOUNTS * 64 * 1024 * 1024) / BODY_BYTES;
const BODY = JSON.stringify({ model: 'paid', max_tokens: 100, messages: [{ role: 'user', content: 'hello' }] });

const chatHead = (key: string, bytes: number) =>
  [
    'POST /v1/chat/completions HTTP/1.1',
    'host: gateway',
    `authorization: Bearer ${key}`,
    'content-type: application/json',
    `content-length: ${bytes}\r\n\r\n`,
  ].join('\r\n');
const chatRequest = (key: string) => chatHead(key, BODY.length) + BODY;

/** Sends a request on an open connection; the status of its answer. */
async function statusOf(line: Line, request: string): Promise<number> {
  const before = line.text().length;
  await line.write(request);
  return eventually('an answer', () => Number(/^HTTP\/1\.1 (\d{3})/.exec(line.text().slice(before))?.[1]) || undefined);
}

const isLinux = process.platform === 'linux';

interface Limited {
  server: Server;
  port: number;
  caller: Caller;
  account: Account;
  /** Calls of `account` are served; a busy machine may refuse the first ones. */
  expectService(): Promise<void>;
  /** So they are again, and everything acknowledged is there. */
  expectRecovery(): Promise<void>;
}

/** A gateway in a process that `limit`, a command of the shell, restricts. */
async function withLimitedServer(limit: string, use: (limited: Limited) => Promise<void>): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'gateway-limited-'));
  const upstream = startTortureUpstream();
  const config = join(dataDir, 'gateway.yaml');
  const { guards, ...document } = tortureDocument(upstream.baseUrl);
  const body = { body_megabytes_in_flight: BODY_MEGABYTES };
  writeFileSync(config, JSON.stringify({ ...document, guards: { ...guards, ...body } }));
  const port = await freePort();
  const server = await startServer({ dataDir, port, env: { GATEWAY_CONFIG: config, ADMIN_PORT: '0' }, limit });
  try {
    const caller: Caller = { url: server.url, facts: noFacts(), takesRefusals: true };
    const account = await register(caller);
    async function expectService(): Promise<void> {
      const isServed = () =>
        chat(caller, account, 'paid stream').then(
          (end) => end === 'acknowledged',
          () => false,
        );
      await eventually('calls are served', isServed);
    }
    async function expectRecovery(): Promise<void> {
      await expectService();
      const before = caller.facts.requests.length;
      for (let n = 0; n < 5; n++) await chat(caller, account, 'paid json');
      expect(caller.facts.requests.length).toBe(before + 5);
      const served = new Map([[account.accountId, upstream.total()]]);
      const tables = tablesOfFile(join(dataDir, 'gateway.sqlite'));
      expect((await verify(tables, server.url, caller.facts, served, true)).problems).toEqual([]);
    }
    await use({ server, port, caller, account, expectService, expectRecovery });
    expect(server.isGone()).toBe(false);
  } finally {
    server.kill();
    await server.gone;
    upstream.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

test.skipIf(!isLinux)(
  'no file descriptor is left: calls are served or refused, nothing ends, and then all is as before',
  () =>
    withLimitedServer(`ulimit -n ${DESCRIPTORS}`, async ({ server, port, account, expectRecovery }) => {
      const early = await Promise.all(Array.from({ length: 2 }, () => dial(port)));
      const ping = 'GET /healthz HTTP/1.1\r\nhost: gateway\r\n\r\n';
      for (const line of early) expect(await statusOf(line, ping)).toBe(200);
      const crowd = await Promise.all(Array.from({ length: CROWD }, () => dial(port)));
      for (const line of crowd)
        await line.write('POST /api/redeem HTTP/1.1\r\nhost: gateway\r\ncontent-length: 99\r\n\r\n{');
      const open = () => readdirSync(`/proc/${server.pid}/fd`).length;
      await eventually('no descriptor is left', () => open() >= DESCRIPTORS - 1);
      const statuses = await Promise.all(early.map((line) => statusOf(line, chatRequest(account.key))));
      for (const status of statuses) expect([200, 502, 503]).toContain(status);
      for (const line of crowd) line.hangUp();
      await eventually('descriptors are free again', () => open() < DESCRIPTORS / 2);
      await expectRecovery();
      for (const line of early) line.hangUp();
    }),
);

test.skipIf(!isLinux)(
  'bodies of more than the memory of the process: the guard refuses the rest with 503, and another account is served',
  () =>
    withLimitedServer(`ulimit -v ${MEMORY_KB}`, async ({ port, caller, expectService, expectRecovery }) => {
      const accounts = await Promise.all(Array.from({ length: ACCOUNTS }, () => register(caller)));
      const crowd = await Promise.all(Array.from({ length: BODIES }, () => dial(port)));
      const piece = 'x'.repeat(BODY_BYTES / 16);
      for (const [n, line] of crowd.entries()) {
        // More is declared than is sent: what has come stays in memory.
        await line.write(chatHead(accounts[n % ACCOUNTS]?.key ?? '', BODY_BYTES + 1));
        for (let sent = 0; sent < 16 && line.text() === ''; sent++) await line.write(piece);
      }
      // A body that was accepted and took 30 s, on a busy machine, has a 408.
      const refused = () => crowd.filter((line) => line.text() !== '' && !line.text().startsWith('HTTP/1.1 408 '));
      // A client that still sends when the server closes may lose the answer.
      const lost = () => crowd.filter((line) => line.text() === '' && line.isClosed());
      await eventually('the rest is refused', () => refused().length + lost().length >= BODIES - MOST_ACCEPTED);
      expect(refused().length).toBeGreaterThan(0);
      for (const line of refused()) {
        expect(line.text()).toStartWith('HTTP/1.1 503 ');
        expect(line.text().toLowerCase()).toContain('\r\nretry-after: ');
        expect(line.text()).toContain('"unavailable"');
      }
      expect(refused().length).toBeLessThan(BODIES);
      await expectService();
      for (const line of crowd) line.hangUp();
      await expectRecovery();
    }),
);

test.each([6, -6])(
  'the clock is set by %d hours during a stream: it is billed once, and calls go on',
  async (hours) => {
    let offset = 0;
    const clock = { ...systemClock, now: () => systemClock.now() + offset };
    const gateway = await startTestGateway({ clock });
    try {
      const { key } = await gateway.register();
      const gate = createGate();
      const { body = [], ...script } = chatStream();
      gateway.upstream.next({ ...script, body: [...body.slice(0, 2), gate.opened, ...body.slice(2)] });
      const stream = { stream: true, stream_options: { include_usage: true } };
      const response = await gateway.chat(key, { model: 'up-paid', max_tokens: 50, ...stream });
      offset = hours * HOUR_MS;
      gate.open();
      const cost = BigInt(usageOf(parseSse(await response.text()))?.cost_nano);
      expect(cost).toBeGreaterThan(0n);
      expect((await gateway.call('/readyz')).status).toBe(200);
      offset = -hours * HOUR_MS;
      gateway.upstream.next(chatStream());
      const again = await gateway.chat(key, { model: 'up-paid', max_tokens: 50, ...stream });
      expect(BigInt(usageOf(parseSse(await again.text()))?.cost_nano)).toBe(cost);
      const { balance_nano, held_nano } = await gateway.get('/api/me', key);
      expect({ balance_nano, held_nano }).toEqual({ balance_nano: String(1_000_000_000n - 2n * cost), held_nano: '0' });
      expect(gateway.audit()).toEqual([]);
    } finally {
      await gateway.stop();
    }
  },
);
