// A server killed in the middle of calls: the next one on the same data releases what it held, at once.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Answer } from '../../support/answer.ts';
import { createWorkplace, type RunningServer } from '../../support/start-process.ts';
import { openaiChannel, upModel } from '../../support/test-document.ts';
import { type ScriptedUpstream, startUpstream } from '../../support/upstream.ts';
import { writeSql } from '../../support/write-sql.ts';

const place = createWorkplace();
let upstream: ScriptedUpstream;

beforeAll(async () => {
  upstream = await startUpstream();
  place.write('gateway.yaml', {
    channels: [openaiChannel('up', upstream.baseUrl)],
    models: [upModel('up-paid', { price: { input: 10, output: 40 } }), upModel('auto:free', { price: 'free' })],
  });
});
afterAll(async () => {
  await place.remove();
  await upstream.close();
});

const call = async (server: RunningServer, path: string, key?: string, body?: unknown): Promise<Answer> =>
  (
    await fetch(server.url + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  ).json();

const BOOT_ID = '/proc/sys/kernel/random/boot_id';

/** As a lease looks that was taken before the machine was started anew. */
function startMachineAnew(): void {
  const boot = readFileSync(BOOT_ID, 'utf8').trim();
  const before = '11111111-2222-3333-4444-555555555555';
  writeSql(join(place.dataDir, 'gateway.sqlite'), 'UPDATE leases SET host = replace(host, ?, ?)', boot, before);
}

const MEANWHILE: [what: string, happens: () => void][] = [['nothing happened', () => {}]];
if (existsSync(BOOT_ID)) MEANWHILE.push(['the machine was started anew', startMachineAnew]);

test.each(MEANWHILE)(
  'its holds are gone when the next one serves, while %s: nothing charged, the free slots given back',
  async (_, happens) => {
    upstream.reset();
    const first = await place.serve();
    const { api_key: key } = await call(first, '/api/agent/register', undefined, {});
    upstream.otherwise({ cut: { after: 'head', by: 'stall' } });
    const messages = [{ role: 'user', content: 'Hi' }];
    /** Who is turned away because the gateway is busy comes again. */
    const ask = async (model: string): Promise<Answer> => {
      const answer = await call(first, '/v1/chat/completions', key, { model, messages }).catch(() => 'cut');
      return answer.error?.code === 'unavailable' ? ask(model) : answer;
    };
    const running = ['up-paid', 'up-paid', 'auto:free'].map(ask);
    await upstream.request(2);
    const before = await call(first, '/api/me', key);
    expect(BigInt(before.held_nano)).toBeGreaterThan(0n);
    expect(before.free.minute.used).toBe(1);
    first.signal('SIGKILL');
    await first.ended;
    expect(await Promise.all(running)).toEqual(['cut', 'cut', 'cut']);

    happens();
    const second = await place.serve();
    const after = await call(second, '/api/me', key);
    expect(after).toMatchObject({ balance_nano: '1000000000', held_nano: '0', available_nano: '1000000000' });
    expect(after.free.minute.used).toBe(0);
    const { data } = await call(second, '/api/usage', key);
    expect(data).toHaveLength(3);
    for (const record of data) expect(record).toMatchObject({ status: 'gateway_died', cost_nano: '0' });
    expect((await place.gateway(['ledger', 'audit'])).exitCode).toBe(0);
    second.signal('SIGTERM');
    await second.ended;
  },
);
