// The file of usage that people take away: whose key spent it, when in Taipei, and all of it in their own words.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { wordsOf } from '../../src/site/language.ts';
import { createKey } from '../support/create-key.ts';
import { startTestGateway, type TestAccount, type TestGateway } from '../support/gateway.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { errorScript } from '../support/openai-chat.ts';
import { signedIn } from './site-client.ts';

let gateway: TestGateway;
let account: TestAccount;
let hostile: Awaited<ReturnType<typeof createKey>>;
beforeAll(async () => {
  // Half past midnight in Taipei: a new month there, and the old one in UTC.
  gateway = await startTestGateway({ clock: createManualClock(Date.UTC(2026, 0, 31, 16, 30, 5)) });
  account = await gateway.register();
  hostile = await createKey(gateway, account.key, { name: '=1+1, "客服"' });
  await gateway.chat(account.key, { model: 'demo-small' });
  gateway.upstream.next(errorScript(400, { message: 'no' }));
  await gateway.chat(hostile.key, { model: 'up-paid' });
});
afterAll(() => gateway.stop());

/** Also of a line with commas between quotes. */
const cells = (line = ''): string[] => line.match(/"(?:[^"]|"")*"|[^,]+|(?<=,)(?=,|$)/g) ?? [];

describe.each(['en', 'zh-TW'] as const)('in %s', (language) => {
  const { usage, statuses } = wordsOf(language).account;
  const file = async (query = '') => (await signedIn(gateway, account.key, language)).get(`/account/usage.csv${query}`);
  const column = async (title: string, query: string) => {
    // Decoding takes the byte-order mark away.
    const [head, ...rows] = (await (await file(query)).text()).trimEnd().split('\r\n');
    const place = cells(head).indexOf(title);
    return rows.map((row) => cells(row)[place]);
  };
  const OF_FIRST = '?model=demo-small';

  test('titles, statuses and answers are in the language of the page', async () => {
    const [head = ''] = (await (await file()).text()).split('\r\n');
    expect(head.split(',').slice(0, 3)).toEqual([usage.file.time, usage.requestId, usage.file.keyName]);
    expect(head).not.toContain('_');
    expect(await column(usage.status, OF_FIRST)).toEqual([statuses.ok]);
    expect(await (await file('?model=up-paid')).text()).toContain(`,${statuses.invalid_request},${usage.no},`);
  });

  test('times are those of Taipei, and their title says so', async () => {
    expect(await column(usage.file.time, OF_FIRST)).toEqual(['2026-02-01 00:30:05']);
    expect(usage.file.time).toContain('UTC+8');
  });

  test('a key has its name and its end beside its id; no name is a formula', async () => {
    expect(await column(usage.file.keyLast4, OF_FIRST)).toEqual([`…${account.key.slice(-4)}`]);
    expect(await column(usage.file.keyId, OF_FIRST)).toEqual([account.keyId]);
    const text = await (await file('?model=up-paid')).text();
    expect(text).toContain(`,"'=1+1, ""客服""",…${hostile.key.slice(-4)},${hostile.id},`);
  });

  test('what it cost is exact', async () => {
    const [record] = (await gateway.get('/api/usage?model=demo-small', account.key)).data;
    const [cost = ''] = await column(usage.unit(usage.cost, 'NT$'), OF_FIRST);
    expect(Number(cost)).toBe(record.cost_ntd);
  });
});

test('where it does not hold all that the page counts, the page says so beside it', async () => {
  const { key, accountId } = await gateway.register();
  await gateway.chat(key, { model: 'demo-small' });
  // The sums of days stand for the records, which would take long to write.
  const count = (requests: number) =>
    gateway.sql(`UPDATE usage_days SET requests = ${requests} WHERE account_id = '${accountId}'`);
  for (const language of ['en', 'zh-TW'] as const) {
    const client = await signedIn(gateway, key, language);
    const isTold = async (query = '') =>
      (await (await client.get(`/account/usage${query}`)).text()).includes(
        wordsOf(language).account.usage.csvNewest('100,000'),
      );
    count(100_001);
    expect([await isTold(), await isTold('?model=up-paid')]).toEqual([true, false]);
    count(100_000);
    expect(await isTold()).toBe(false);
  }
});

test('its name tells the days, and nothing else that stands in the address', async () => {
  const client = await signedIn(gateway, account.key);
  const name = async (query: string) =>
    (await client.get(`/account/usage.csv${query}`)).headers.get('content-disposition');
  expect(await name('')).toBe('attachment; filename="usage_2026-02-01.csv"');
  expect(await name('?from=2026-01-01&to=2026-01-31')).toBe('attachment; filename="usage_2026-01-01_2026-01-31.csv"');
  expect(await name('?from=2026-01-01&to=')).toBe('attachment; filename="usage_2026-01-01_2026-02-01.csv"');
  expect(await name('?from=2026-01-01T00:00:00Z&model=%22x')).toBe('attachment; filename="usage_2026-02-01.csv"');
});
