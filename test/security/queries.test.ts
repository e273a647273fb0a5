// S40: what is searched for is a value and never a pattern, and no page is larger than 200.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Answer } from '../support/answer.ts';
import { eventually } from '../support/eventually.ts';
import type { TestAccount, TestGateway } from '../support/gateway.ts';
import { untilHeard } from '../support/race.ts';
import { startSecure } from './start-secure.ts';

const CALLS = 210;
let gateway: TestGateway;
let account: TestAccount;
beforeAll(async () => {
  gateway = await startSecure();
  account = await gateway.register();
  for (let n = 0; n < CALLS; n += 30) {
    const asked = Array.from({ length: 30 }, async () => {
      const response = await untilHeard(() => gateway.chat(account.key, { model: 'demo-small', max_tokens: 1 }));
      expect(response.status).toBe(200);
      return response.text();
    });
    await Promise.all(asked);
  }
  await eventually('every record', async () => (await page('limit=1')).totals.requests === CALLS);
});
afterAll(() => gateway.stop());

const page = (query: string): Promise<Answer> => gateway.get(`/api/usage?${query}`, account.key);

describe('S40 the size of a page', () => {
  test.each(['201', '1000', '1e9', '9007199254740993'])('S40 limit=%s gives at most 200', async (limit) => {
    const { data, has_more, totals } = await page(`limit=${limit}`);
    expect(data.length).toBe(200);
    expect(has_more).toBe(true);
    expect(totals.requests).toBe(CALLS);
  });

  test.each(['0', '-1', '1.5', 'all', 'NaN', 'Infinity', '1e999', '200;', '١٠'])(
    'S40 limit=%s is refused',
    async (limit) => {
      const response = await gateway.call(`/api/usage?limit=${encodeURIComponent(limit)}`, { key: account.key });
      expect(response.status).toBe(400);
      expect(((await response.json()) as Answer).error.param).toBe('limit');
    },
  );

  test('S40 a cursor is a place and nothing more', async () => {
    const { next_cursor } = await page('limit=200');
    expect((await page(`limit=200&cursor=${next_cursor}`)).data).toHaveLength(CALLS - 200);
    const forged = ['0.req_1) OR (1=1', "1.req_' --", '1.acc_1', '99999999999999999.req_1', '-1.req_1', ''];
    for (const text of forged.slice(0, -1)) {
      const cursor = Buffer.from(text).toString('base64url');
      expect((await gateway.call(`/api/usage?cursor=${cursor}`, { key: account.key })).status).toBe(400);
    }
  });
});

describe('S40 a search', () => {
  const NAMES = ['model', 'channel', 'key_id', 'status'];
  test.each([
    '%',
    '_',
    'demo%',
    'demo-smal_',
    'demo-*',
    '*',
    '.*',
    '^demo',
    'DEMO-SMALL',
    'demo-small ',
    "demo-small' OR '1'='1",
  ])('S40 for %p finds nothing: it is a value, not a pattern', async (text) => {
    for (const name of NAMES) {
      const found = await page(`${name}=${encodeURIComponent(text)}`);
      expect(found).toMatchObject({ data: [], has_more: false, totals: { requests: 0 } });
    }
  });

  test('S40 for what is there finds it', async () => {
    for (const [name, value] of [
      ['model', 'demo-small'],
      ['channel', 'demo'],
      ['key_id', account.keyId],
      ['status', 'ok'],
    ]) {
      expect((await page(`${name}=${value}&limit=1`)).totals.requests).toBe(CALLS);
    }
  });

  test('S40 the same parameter twice, or as a list, is one value', async () => {
    expect((await page('model=none&model=demo-small')).data).toEqual([]);
    expect((await page('model[]=none&model[$ne]=x&limit=1')).totals.requests).toBe(CALLS);
  });
});
