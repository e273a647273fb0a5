// The log of actions in the operator's words: every action that can be done has a name in both languages, amounts are in
// NT$, times in Taipei's, and what has a page leads there.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { Glob } from 'bun';
import { consoleWords } from '../../../src/admin/console/words/words.ts';
import { adminApiOf } from '../../support/admin-api.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { clientOf } from './operator-client.ts';

let gateway: TestGateway;
let ids: { account: string; incident: string; batch: string };

beforeAll(async () => {
  gateway = await startTestGateway();
  const api = adminApiOf(gateway);
  const { accountId: account } = await gateway.register();
  await api('POST', `/accounts/${account}/freeze`, { reason: 'stolen key' });
  await api('PATCH', `/accounts/${account}`, { nickname: 'Corner shop' });
  const issued = await api('POST', '/cards', { amount_ntd: '1300.5', count: 2, kind: 'promo', expires: '2099-01-01' });
  const told = await api('POST', '/incidents', {
    title_en: 'Database maintenance',
    title_zh: '資料庫維護',
    started: '2026-01-10T01:00+08:00',
    ended: '2026-01-10T02:30+08:00',
  });
  ids = { account, incident: told.body.incident_id, batch: issued.body.batch.batch_id };
});
afterAll(() => gateway.stop());

const pageIn = async (language: string, path = '/actions') =>
  (await (await clientOf(gateway, language)).get(path)).text();

test.each([
  ['en', ['Froze account', 'Issued cards', 'Published incident'], 'amount', 'Gift (promotion)', 'nickname'],
  ['zh-TW', ['暫停帳戶使用', '發行儲值卡', '發布公告'], '金額', '贈送（行銷）', '暱稱'],
])('actions and their facts are told in %s', async (language, names, amount, kind, nickname) => {
  const html = await pageIn(language);
  for (const name of names) expect(html).toContain(`${name}<span class="under id">`);
  expect(html).toContain(`title="amount_ntd">${amount}</span> NT$1,300.50<`);
  expect(html).toContain(`</span> ${kind}<`);
  expect(html).toContain(`title="nickname">${nickname}</span> Corner shop<`);
  expect(html).toContain('</span> 2026-01-10 02:30:00 UTC+8<');
  expect(html).not.toContain('2026-01-09T18:30');
});

test('what an action was done to leads to its page', async () => {
  const html = await pageIn('en');
  const client = await clientOf(gateway);
  for (const path of [`/accounts/${ids.account}`, '/incidents', `/cards/batches/${ids.batch}`, '/models/revisions/1']) {
    expect(html).toContain(`href="${path}"`);
    expect([path, (await client.get(path)).status]).toEqual([path, 200]);
  }
});

test('the facts of an alarm are told in words, too', async () => {
  const fields = { request_id: 'req_1', cost_nano: '1500000000' };
  await gateway.gateway.store.recordAlarm({ name: 'usage_above_hold', fields }, Date.now());
  const alarms = await pageIn('zh-TW', '/alarms');
  expect(alarms).toContain('title="cost">金額</span> NT$1.50<');
  expect(alarms).toContain('title="request_id">請求</span>');
});

test('every action that the source writes has a name', () => {
  const { actionNames } = consoleWords('en').log;
  const areas = '(?:accounts|keys|cards|config|prices|channels|alarms|ledger|incidents|database)';
  const written = new Set<string>();
  for (const folder of ['admin/actions', 'admin/commands', 'store']) {
    for (const file of new Glob(`src/${folder}/**/*.ts`).scanSync('.')) {
      for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(new RegExp(`'(${areas}\\.[a-z_]+)'`, 'g'))) {
        written.add(name);
      }
    }
  }
  expect(written.size).toBeGreaterThan(15);
  expect([...written].filter((name) => !Object.hasOwn(actionNames, name))).toEqual([]);
});
