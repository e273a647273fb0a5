// The pages while the database is away: whoever wants to leave is not kept.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { wordsOf } from '../../src/site/language.ts';
import { startTestGateway } from '../support/gateway.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { signedIn } from './site-client.ts';

const TIMEOUT_MS = 180_000;

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());

test(
  'who signs out is out of the browser, and is told when the session ends',
  async () => {
    const { url } = await postgres.createDatabase();
    const gateway = await startTestGateway({ env: { DATABASE_URL: url, SECRETS_PEPPER: 'p'.repeat(64) } });
    try {
      const { key } = await gateway.register();
      const client = await signedIn(gateway, key, 'zh-TW');
      expect(client.cookies.has('session')).toBe(true);
      await postgres.crash();
      const response = await client.post('/account/sign-out');
      expect([response.status, client.cookies.has('session')]).toEqual([503, false]);
      expect(await response.text()).toContain(wordsOf('zh-TW').account.signedOutHere);
    } finally {
      await gateway.stop();
    }
  },
  TIMEOUT_MS,
);
