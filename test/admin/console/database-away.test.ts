// The console while the database is away: each page says so in its own frame, and nobody is signed out by it.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Answer } from '../../support/answer.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { startPostgres, type TestPostgres } from '../../support/postgres.ts';
import { clientOf, strangerOf } from './operator-client.ts';

const TOKEN = 't'.repeat(40);
const TIMEOUT_MS = 180_000;

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());

async function withGateway(env: Record<string, string>, use: (gateway: TestGateway) => Promise<void>): Promise<void> {
  const gateway = await startTestGateway({ env });
  try {
    await use(gateway);
  } finally {
    await gateway.stop();
  }
}

test(
  'a page that needs the database is the page of failures, with 503; the door stays open',
  async () => {
    const { url } = await postgres.createDatabase();
    const env = { DATABASE_URL: url, SECRETS_PEPPER: 'p'.repeat(64), ADMIN_TOKEN: TOKEN };
    await withGateway(env, async (gateway) => {
      const client = strangerOf(gateway, 'zh-TW');
      expect((await client.post('/sign-in', { token: TOKEN })).status).toBe(303);
      expect((await client.get('/')).status).toBe(200);
      await postgres.crash();
      for (const path of ['/cards', '/accounts/acc_1', '/ledger', '/alarms', '/actions']) {
        const response = await client.get(path);
        const html = await response.text();
        expect([path, response.status, response.headers.get('content-type')]).toEqual([path, 503, HTML]);
        expect(html).toMatch(/class="notice is-bad" role="alert"><p>資料庫未及時回應/);
        expect(html).toContain('action="/sign-out"');
        expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
      }
      const form = await client.post('/accounts/acc_1/freeze', { reason: 'stolen key' });
      expect([form.status, form.headers.get('content-type')]).toEqual([503, HTML]);
      expect((await client.get('/nothing')).status).toBe(404);
      expect((await client.post('/sign-out')).status).toBe(303);
    });
  },
  TIMEOUT_MS,
);

test('what nobody foresaw is told as on any other path of the port, with one line in the log', async () => {
  await withGateway({}, async (gateway) => {
    const client = await clientOf(gateway);
    Object.assign(gateway.gateway.store.read, { alarms: () => Promise.reject(new Error('a secret of the store')) });
    const response = await client.get('/cards');
    const { error }: Answer = await response.json();
    expect([response.status, error.code]).toEqual([500, 'internal_error']);
    expect(error.request_id).toBe(response.headers.get('x-request-id'));
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    const lines = gateway.log.lines().filter(({ level }) => level === 'error');
    expect(lines).toMatchObject([{ event: 'operator_fault', request_id: error.request_id }]);
    expect(gateway.log.text()).not.toContain('a secret of the store');
  });
});

const HTML = 'text/html; charset=utf-8';
