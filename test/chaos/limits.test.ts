// A gateway with few file descriptors under more connections than that, and one whose clock is set while it serves.

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
import { chat, register } from '../torture/calls.ts';
import { noFacts } from '../torture/facts.ts';
import { startServer } from '../torture/server.ts';
import { tortureDocument } from '../torture/torture.ts';
import { startTortureUpstream } from '../torture/upstream.ts';
import { tablesOfFile, verify } from '../torture/verify.ts';

setDefaultTimeout(120_000);

const DESCRIPTORS = 64;
const CROWD = 120;
const BODY = JSON.stringify({ model: 'paid', max_tokens: 100, messages: [{ role: 'user', content: 'hello' }] });

const chatRequest = (key: string) =>
  [
    'POST /v1/chat/completions HTTP/1.1',
    'host: gateway',
    `authorization: Bearer ${key}`,
    'content-type: application/json',
    `content-length: ${BODY.length}`,
    `\r\n${BODY}`,
  ].join('\r\n');

/** Sends a request on an open connection; the status of its answer. */
async function statusOf(line: Line, request: string): Promise<number> {
  const before = line.text().length;
  await line.write(request);
  return eventually('an answer', () => Number(/^HTTP\/1\.1 (\d{3})/.exec(line.text().slice(before))?.[1]) || undefined);
}

test.skipIf(process.platform !== 'linux')(
  'no file descriptor is left: calls are served or refused, nothing ends, and then all is as before',
  async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'gateway-few-files-'));
    const upstream = startTortureUpstream();
    const config = join(dataDir, 'gateway.yaml');
    writeFileSync(config, JSON.stringify(tortureDocument(upstream.baseUrl)));
    const port = await freePort();
    const limit = `ulimit -n ${DESCRIPTORS}`;
    const server = await startServer({ dataDir, port, env: { GATEWAY_CONFIG: config, ADMIN_PORT: '0' }, limit });
    try {
      const caller = { url: server.url, facts: noFacts() };
      const account = await register(caller);
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
      expect(server.isGone()).toBe(false);
      for (const line of crowd) line.hangUp();
      await eventually('descriptors are free again', () => open() < DESCRIPTORS / 2);
      await eventually('calls are served', () =>
        chat(caller, account, 'paid stream').then(
          () => true,
          () => false,
        ),
      );
      for (let n = 0; n < 5; n++) await chat(caller, account, 'paid json');
      for (const line of early) line.hangUp();
      const served = new Map([[account.accountId, upstream.total()]]);
      const { problems } = await verify(
        tablesOfFile(join(dataDir, 'gateway.sqlite')),
        server.url,
        caller.facts,
        served,
        true,
      );
      expect(problems).toEqual([]);
      expect(caller.facts.requests.length).toBeGreaterThan(5);
    } finally {
      server.kill();
      await server.gone;
      upstream.stop();
      rmSync(dataDir, { recursive: true, force: true });
    }
  },
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
