// Channels, cards, the ledger, alarms and incidents by their pages: what is dangerous asks first, what was sent twice is
// done once.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import jsQR from 'jsqr';
import { dayText } from '../../../src/admin/actions/ledger.ts';
import { consoleWords } from '../../../src/admin/console/words/words.ts';
import { taipeiDay } from '../../../src/kit/taipei.ts';
import type { SiteClient } from '../../site/site-client.ts';
import { adminApiOf } from '../../support/admin-api.ts';
import type { Answer } from '../../support/answer.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { issueCard } from '../../support/issue-cards.ts';
import { chatAnswer, errorScript } from '../../support/openai-chat.ts';
import { clientOf, fieldOf } from './operator-client.ts';

const HOUR_MS = 3_600_000;
/** The side of a module of a QR code. */
const PIXELS = 4;

let gateway: TestGateway;
let client: SiteClient;
beforeAll(async () => {
  gateway = await startTestGateway();
  client = await clientOf(gateway);
});
afterAll(() => gateway.stop());

describe('a channel', () => {
  test('that is switched off says first which models lose their last route', async () => {
    const asked = await (await client.get('/channels/up/disable')).text();
    expect(asked).toContain('lose their last route and will be refused: up-free, up-paid.');
    // Without the question nothing is switched.
    expect((await client.post('/channels/up/disable')).status).toBe(200);
    const { key } = await gateway.register();
    gateway.upstream.next(chatAnswer());
    expect((await gateway.chat(key, { model: 'up-paid' })).status).toBe(200);

    const done = await client.post('/channels/up/disable', { confirmed: 'yes', lost: fieldOf(asked, 'lost') });
    expect(done.headers.get('location')).toBe('/channels/up');
    expect((await gateway.chat(key, { model: 'up-paid' })).status).not.toBe(200);
    expect((await client.post('/channels/up/enable', { confirmed: 'yes' })).status).toBe(303);
    gateway.upstream.next(chatAnswer());
    expect((await gateway.chat(key, { model: 'up-paid' })).status).toBe(200);
  });

  test('that does not work says why, without a word of its key', async () => {
    gateway.upstream.next(errorScript(401, { message: 'Incorrect API key provided: fake-upstream-secret-0123' }));
    const html = await (await client.post('/channels/up/test', { model: 'up-paid' })).text();
    expect(html).toContain('Test of scripted-2026-01 failed');
    expect(html).not.toContain('fake-upstream-secret');
  });

  test('that fails every call is seen from afar, and its errors are told in words', async () => {
    const { key } = await gateway.register();
    gateway.upstream.next(errorScript(500, { message: 'broken' }), errorScript(500, { message: 'broken' }));
    await gateway.chat(key, { model: 'up-paid' });
    const hour = Math.floor(Date.now() / HOUR_MS) - 3;
    const sum = { hour, channel: 'up', model: 'up-paid', ok: 0, failed: 4, firstToken: [], total: [] };
    await gateway.gateway.store.commit('traffic', { sums: [sum] });
    const list = await (await client.get('/channels')).text();
    // One bar of full height.
    expect(list).toMatch(/<path class="down" d="M\d+ 50h18" stroke-width="100"/);
    expect(list).not.toContain('p95 –');
    for (const [language, name] of [
      ['en', 'Upstream error'],
      ['zh-TW', '上游錯誤'],
    ] as const) {
      const page = await (await (await clientOf(gateway, language)).get('/channels/up')).text();
      expect(page).toContain(`${name}<span class="under id">upstream_error</span>`);
    }
  });

  test('that has no route for a model is refused with the status of the API', async () => {
    const [page, api] = await Promise.all([
      client.post('/channels/up/test', { model: 'auto:free' }),
      adminApiOf(gateway)('POST', '/channels/up/test', { model: 'auto:free' }),
    ]);
    expect([page.status, api.status]).toEqual([400, 400]);
  });
});

describe('cards', () => {
  const form = { amount: '50', count: '3', kind: 'sold', expires: '', note: 'the shop around the corner' };

  async function issue(count = '3', more: object = {}): Promise<{ path: string; fields: Record<string, string> }> {
    const asked = await (await client.post('/cards/review', { ...form, ...more, count })).text();
    const fields = { ...form, ...more, count, once: fieldOf(asked, 'once'), confirmed: 'yes' };
    const location = (await client.post('/cards', fields)).headers.get('location') ?? '';
    return { path: location, fields };
  }

  test('are issued once, however often the form is sent', async () => {
    const before = gateway.sql('SELECT * FROM cards').length;
    const { fields } = await issue();
    const again = await client.post('/cards', fields);
    expect([again.status, gateway.sql('SELECT * FROM cards').length]).toEqual([422, before + 3]);
    expect(await again.text()).toContain('this form was already sent');
  });

  test('forms that are wrong come back with their faults, as typed', async () => {
    for (const [field, value] of [
      ['amount', '0'],
      ['amount', 'x'],
      ['count', '10001'],
      ['count', '1.5'],
      ['expires', '2099-01-01'],
    ] as const) {
      const refused = await client.post('/cards/review', { ...form, [field]: value });
      const html = await refused.text();
      expect([field, refused.status]).toEqual([field, 422]);
      expect(html).toContain(`id="${field}-fault"`);
      expect(fieldOf(html, field)).toBe(value);
    }
  });

  test('are void after a question, and worthless then', async () => {
    const { path } = await issue();
    const batch = path.split('/').at(-1) ?? '';
    const csv = await (await client.get(`${path}/codes.csv`)).text();
    const [serial = '', code] = csv.split('\r\n')[1]?.split(',') ?? [];
    expect((await client.post('/cards/void', { batch })).status).toBe(422);
    const asked = await (await client.post('/cards/void', { batch, serial })).text();
    expect(asked).toContain('Void 1 card?');
    const done = await client.post('/cards/void', { batch, serials: fieldOf(asked, 'serials'), confirmed: 'yes' });
    const location = done.headers.get('location') ?? '';
    expect(location).toBe(path);
    expect(await (await client.get(location)).text()).toContain('1 card is voided.');
    expect(await (await client.get(location)).text()).not.toContain('1 card is voided.');
    const { key } = await gateway.register();
    expect((await gateway.call('/api/redeem', { key, body: { code } })).status).not.toBe(200);
    expect(await (await client.get(`/cards?serial=${serial.toLowerCase()}`)).text()).toContain('voided');
  });

  test('that a large batch does not show are found by their serial, and void from there', async () => {
    const { path } = await issue('201');
    for (const query of ['', '?state=issued']) {
      expect(await (await client.get(path + query)).text()).toContain('1–60 of 201');
    }
    const shown = await (await client.get(path)).text();
    const csv = await (await client.get(`${path}/codes.csv`)).text();
    const serials = csv.split('\r\n').map((line) => line.split(',')[0] ?? '');
    const unseen = serials.slice(1, 202).find((serial) => !shown.includes(`value="${serial}"`)) ?? '';
    const page = () => client.get(`/cards?serial=${unseen}`).then((found) => found.text());
    const found = await page();
    const [, form = ''] = /<form[^>]* action="\/cards\/void">(.*?)<\/form>/s.exec(found) ?? [];
    const sent = { batch: fieldOf(form, 'batch'), serial: fieldOf(form, 'serial') };
    const asked = await (await client.post('/cards/void', sent)).text();
    await client.post('/cards/void', { ...sent, serials: fieldOf(asked, 'serials'), confirmed: 'yes' });
    const after = await page();
    expect(after).toContain('voided');
    expect(after).not.toContain('action="/cards/void"');
  });

  test('have their address on paper as it is typed, in two lines only before its path', async () => {
    const { path } = await issue('1');
    const { host } = new URL(gateway.url);
    expect(await (await client.get(`${path}/sheet`)).text()).toContain(`>${host}<wbr/>/account/redeem</p>`);
  });

  test('have a QR code that leads to their page', async () => {
    const { path } = await issue('1');
    const csv = await (await client.get(`${path}/codes.csv`)).text();
    const code = csv.split('\r\n')[1]?.split(',')[1] ?? 'none';
    const sheet = await (await client.get(`${path}/sheet`)).text();
    expect(readQr(sheet)).toBe(`${new URL(gateway.url).origin}/account/redeem#${code}`);
  });

  test('whose codes are gone say so where they were, and lead to their batch', async () => {
    const { serial } = await issueCard(gateway);
    const path = `/cards/batches/batch_${serial}`;
    for (const place of ['sheet', 'codes.csv']) {
      const gone = await client.get(`${path}/${place}`);
      const html = await gone.text();
      expect([place, gone.status]).toEqual([place, 404]);
      expect(html).toContain(consoleWords('en').cards.codesGone);
      expect(html).toContain(`href="${path}"`);
    }
  });

  test('have their serial and their last day on paper in a line each', async () => {
    const { path } = await issue('1', { kind: 'promo', expires: '2099-01-31' });
    const sheet = await (await client.get(`${path}/sheet`)).text();
    expect(sheet).toMatch(/>SN[\w-]+<\/p><p class="small-print">Redeemable until 2099-01-31<\/p>/);
  });

  test('their codes are on no other page, and in no log', async () => {
    const { path } = await issue();
    const csv = await (await client.get(`${path}/codes.csv`)).text();
    const code = csv.split('\r\n')[1]?.split(',')[1] ?? 'none';
    for (const page of ['/cards', '/actions', '/']) expect(await (await client.get(page)).text()).not.toContain(code);
    expect(JSON.stringify(gateway.log.lines())).not.toContain(code);
    expect(JSON.stringify(gateway.sql('SELECT detail FROM audit_log'))).not.toContain(code);
  });
});

test('the ledger is audited in full on demand', async () => {
  const html = await (await client.post('/ledger/audit')).text();
  expect(html).toContain('The ledger balances.');
  expect(gateway.audit()).toEqual([]);
});

test('a bill is held against our records', async () => {
  const { key } = await gateway.register();
  gateway.upstream.reset();
  gateway.upstream.next(chatAnswer());
  await gateway.chat(key, { model: 'up-paid' });
  const bill = 'model,date,input_tokens,output_tokens,amount\nunknown-model,2020-01-01,5,5,1\n';
  const compared = await client.post('/ledger/reconcile', { channel: 'up', bill, rate: '32' });
  const html = await compared.text();
  expect([compared.status, html.includes('not in our records')]).toEqual([200, true]);
  expect((await client.post('/ledger/reconcile', { channel: 'up', bill: '' })).status).toBe(422);
  expect((await client.post('/ledger/reconcile', { channel: 'up', bill: 'a,b\n1,2' })).status).toBe(400);
});

test('a bill says what is not known, also of a channel that is gone', async () => {
  // Midnight may have passed since.
  const [used] = gateway.sql<{ at: bigint }>(`SELECT max(at) AS at FROM usage_records WHERE channel = 'up'`);
  const day = dayText(taipeiDay(Number(used?.at)));
  const bill = `model,date,input_tokens,output_tokens,amount\nscripted-2026-01,${day},1,1,1\n`;
  await gateway.apply((standard) => ({
    ...standard,
    channels: standard.channels.slice(0, 1),
    models: standard.models.slice(0, 2),
  }));
  try {
    const compared = await client.post('/ledger/reconcile', { channel: 'up', bill, rate: '1' });
    const page = await compared.text();
    expect([compared.status, page.includes('No cost is recorded for scripted-2026-01')]).toEqual([200, true]);
    expect(page).toContain('up (no longer in the catalog)');
  } finally {
    await gateway.apply((standard) => standard);
  }
});

test('words say what is meant: revenue before write-offs, and what an unbalanced ledger refuses', async () => {
  await gateway.gateway.store.recordAlarm({ name: 'ledger_unbalanced', fields: {} }, Date.now());
  const chinese = await clientOf(gateway, 'zh-TW');
  const told = async (one: SiteClient, path: string) => (await one.get(path)).text();
  expect(await told(client, '/ledger')).toContain('Revenue before write-offs');
  expect(await told(chinese, '/ledger')).toContain('呆帳沖銷前營收');
  expect(await told(client, '/alarms')).toContain('Paid requests are refused until it does; free models keep working.');
  expect(await told(chinese, '/alarms')).toContain('恢復之前拒絕所有付費請求，免費模型照常服務。');
  await client.post('/alarms/names/ledger_unbalanced', {});
});

test('an alarm leads to the request it is about, and tells money in NT$', async () => {
  const fields = { request_id: 'req_01m7ggkhp42q8e7186dh3qte4e', cost_nano: '1950' };
  await gateway.gateway.store.recordAlarm({ name: 'settle_after_release', fields }, Date.now());
  const html = await (await client.get('/alarms')).text();
  expect(html).toContain(`href="/accounts?q=${fields.request_id}"`);
  expect(html).toContain('NT$0.00000195');
  expect(html).not.toContain('cost_nano');
  await client.post('/alarms/names/settle_after_release', {});
});

test('an alarm leads to its channel, and those of one name say what it means', async () => {
  const fields = { channel: 'up', status: 401 };
  for (let index = 0; index < 2; index++) {
    await gateway.gateway.store.recordAlarm({ name: 'upstream_refused_our_key', fields }, Date.now());
  }
  const html = await (await client.get('/alarms')).text();
  expect(html).toContain('<a class="id" href="/channels/up">up</a>');
  expect(html).toContain('An upstream refused our key or our account.');
  expect(html).toContain('<span class="severity is-critical">Critical</span>');
  await client.post('/alarms/names/upstream_refused_our_key', {});
});

test('an alarm is open until somebody has seen it', async () => {
  await gateway.gateway.store.recordAlarm({ name: 'upstream_route_missing', fields: { channel: 'up' } }, Date.now());
  const groups = await (await client.get('/alarms')).text();
  expect(groups).toContain('Check the route.');
  expect(groups).toMatch(/<span class="badge"> \d+ open</);
  const open = await (await client.get('/alarms?name=upstream_route_missing&subject=up')).text();
  const path = /action="(\/alarms\/\d+)"/.exec(open)?.[1] ?? '';
  expect((await client.post(path)).status).toBe(303);
  expect((await client.post(path)).status).toBe(303);
  expect(await (await client.get('/alarms')).text()).not.toContain(path);
  expect(await (await client.get('/alarms?all')).text()).toContain('acknowledged by operator secret');
  expect(await (await (await clientOf(gateway, 'zh-TW')).get('/alarms?all')).text()).toContain('管理員密鑰 已於');
});

test('many alarms hide none: they are counted, paged, and seen by their name', async () => {
  const { store } = gateway.gateway;
  await store.recordAlarm({ name: 'wallet_wrong', fields: { account_id: 'acc_old' } }, Date.now());
  for (let index = 0; index < 110; index++) await store.recordAlarm({ name: 'usage_invalid', fields: {} }, Date.now());
  expect(await (await client.get('/')).text()).toContain('99+ alarms are open');
  const open = await (await client.get('/alarms')).text();
  // Red, because of one that is older than those that are counted.
  expect(open).toContain('<span class="badge bad"> 99+ open<');
  // The most severe is first, however many came after it.
  expect(open.indexOf('acc_old')).toBeGreaterThan(0);
  expect(open.indexOf('acc_old')).toBeLessThan(open.indexOf('usage_invalid'));
  const single = await (await client.get('/alarms?name=usage_invalid')).text();
  const older = /href="(\/alarms\?[^"]*before=\d+)"/.exec(single)?.[1]?.replace('&amp;', '&') ?? '';
  expect((await (await client.get(older)).text()).match(/action="\/alarms\/\d+"/g)).toHaveLength(50);
  const olderOfAll = /href="(\/alarms\?all[^"]*before=\d+)"/.exec(await (await client.get('/alarms?all')).text())?.[1];
  expect(await (await client.get((olderOfAll ?? '').replace('&amp;', '&'))).text()).toContain('acc_old');
  expect(await (await client.get('/alarms?name=wallet_wrong')).text()).toContain('acc_old');

  for (const [one, said] of [
    [client, 'No older alarms.'],
    [await clientOf(gateway, 'zh-TW'), '沒有更舊的警報。'],
  ] as const) {
    const behind = await (await one.get('/alarms?before=1')).text();
    expect(behind).toContain(`${said} <a href="/alarms">`);
    expect(await (await one.get('/alarms?all&before=1')).text()).toContain(`${said} <a href="/alarms?all">`);
  }

  const path = '/alarms/names/usage_invalid';
  expect(open).toContain('Acknowledge all 110');
  // One that came after the page was shown stays open.
  await store.recordAlarm({ name: 'usage_invalid', fields: {} }, Date.now());
  const [, through = ''] = /names\/usage_invalid"><input[^>]*><input[^>]*name="through" value="(\d+)"/.exec(open) ?? [];
  const done = await client.post(path, { subject: '', through });
  expect([done.status, done.headers.get('location')]).toEqual([303, '/alarms']);
  expect((await client.post(path, { subject: '', through })).status).toBe(303);
  expect((await client.post('/alarms/names/nothing', {})).status).toBe(404);
  const rest = await (await client.get('/alarms?name=usage_invalid')).text();
  expect(rest.match(/action="\/alarms\/\d+"/g)).toHaveLength(1);
  const lines = gateway.sql(
    `SELECT actor, subject, detail FROM audit_log WHERE action = 'alarms.acknowledge_group' AND subject LIKE 'usage%'`,
  );
  expect(lines).toEqual([{ actor: 'token', subject: `usage_invalid :${through}`, detail: '{"seen":110}' }]);
  await client.post(path, {});
});

test('alarms of one name stand in groups by what they are about, and a group is acknowledged by itself', async () => {
  const { store } = gateway.gateway;
  for (const [index, channel] of ['up', 'other', 'up'].entries()) {
    const fields = { request_id: `req_${index}`, channel };
    await store.recordAlarm({ name: 'usage_invalid', fields }, Date.UTC(2026, 0, 1, index));
  }
  const rowOf = async (one: SiteClient, channel: string) => {
    const rows = (await (await one.get('/alarms')).text()).split('<li class="alarm ');
    return rows.find((row) => row.includes('usage_invalid') && row.includes(`href="/channels/${channel}"`)) ?? '';
  };
  const row = await rowOf(client, 'up');
  expect(row).toStartWith('is-info');
  expect(row).toContain('2026-01-01 08:00:00 UTC+8');
  expect(row).toContain('2026-01-01 10:00:00 UTC+8');
  expect(row).toContain('href="/alarms?name=usage_invalid&amp;subject=up">2 alarms<');
  const chinese = await (await (await clientOf(gateway, 'zh-TW')).get('/alarms')).text();
  expect(chinese).toContain('<span class="severity is-info">資訊</span>');
  const sent = { subject: fieldOf(row, 'subject'), through: fieldOf(row, 'through') };
  expect((await client.post('/alarms/names/usage_invalid', sent)).status).toBe(303);
  expect(await rowOf(client, 'up')).toBe('');
  expect(await rowOf(client, 'other')).toContain('Acknowledge');
  expect(await (await client.get('/actions')).text()).toContain('alarms.acknowledge_group');
  await client.post('/alarms/names/usage_invalid', {});
});

test('an incident’s end is corrected and taken back by its form, and stays if it was not touched', async () => {
  const said = { titleEn: 'Broken', titleZh: '故障', started: '2026-01-01T08:00' };
  await client.post('/incidents', said);
  const list = await (await client.get('/incidents')).text();
  const path = /action="(\/incidents\/inc_\w+)\/end"/.exec(list)?.[1] ?? '';
  const endOf = () => gateway.sql(`SELECT ended_at FROM incidents WHERE title_en = 'Broken'`)[0]?.ended_at;
  const opened = await (await client.get(path)).text();
  expect(fieldOf(opened, 'ended')).toBe('');
  await client.post(`${path}/end`);
  const ended = endOf();
  // The form was opened before somebody ended it.
  await client.post(path, { ...said, ended: '', endedBefore: fieldOf(opened, 'endedBefore') });
  expect([typeof ended, endOf()]).toEqual(['bigint', ended]);
  const endedBefore = fieldOf(await (await client.get(path)).text(), 'endedBefore');
  await client.post(path, { ...said, ended: '2026-01-01T09:00', endedBefore });
  expect(endOf()).toBe(BigInt(Date.UTC(2026, 0, 1, 1)));
  const wrong = await client.post(path, { ...said, ended: '2025-01-01T09:00', endedBefore });
  const again = await wrong.text();
  expect([wrong.status, fieldOf(again, 'ended'), fieldOf(again, 'endedBefore')]).toEqual([
    400,
    '2025-01-01T09:00',
    endedBefore,
  ]);
  await client.post(path, { ...said, ended: '', endedBefore });
  expect(endOf()).toBeNull();
  await client.post(`${path}/delete`, { confirmed: 'yes' });
});

/** The field of an incident that is marked, and what is told beside it. */
async function wrongField(response: Response) {
  const html = await response.text();
  const marked = /id="(\w+)"[^>]* aria-invalid="true" aria-describedby="\1-fault"/.exec(html)?.[1];
  return [marked, new RegExp(`id="${marked}-fault">([^<]*)`).exec(html)?.[1]];
}

test('an incident that is over is told with its end', async () => {
  const { incidents: words } = consoleWords('en');
  const said = { titleEn: 'Was slow', titleZh: '曾經緩慢', started: '2026-01-01T08:00' };
  const wrong = await client.post('/incidents', { ...said, ended: '2025-01-01T09:00' });
  expect([wrong.status, fieldOf(await wrong.clone().text(), 'ended')]).toEqual([400, '2025-01-01T09:00']);
  expect(await wrongField(wrong)).toEqual(['ended', words.wrongEnd]);
  const startless = await client.post('/incidents', { ...said, started: '', ended: '2026-01-01T09:00' });
  expect([startless.status, await wrongField(startless)]).toEqual([400, ['started', words.missingStart]]);
  expect((await client.post('/incidents', { ...said, ended: '2026-01-01T09:00' })).status).toBe(303);
  const [told] = gateway.sql(`SELECT incident_id, ended_at FROM incidents WHERE title_en = 'Was slow'`);
  expect(told?.ended_at).toBe(BigInt(Date.UTC(2026, 0, 1, 1)));
  await client.post(`/incidents/${told?.incident_id}/delete`, { confirmed: 'yes' });
});

test('an incident is told, ended and deleted, in both languages', async () => {
  const half = await client.post('/incidents', { titleEn: 'Slow', titleZh: '' });
  expect([half.status, fieldOf(await half.clone().text(), 'titleEn')]).toEqual([400, 'Slow']);
  const { incidents: words } = consoleWords('en');
  expect(await wrongField(half)).toEqual(['titleZh', words.wrongTitle]);
  const oneText = await client.post('/incidents', { titleEn: 'Slow', titleZh: '緩慢', textEn: 'x' });
  expect(await wrongField(oneText)).toEqual(['textZh', words.wrongText]);
  const said = { titleEn: 'Slow answers', titleZh: '回應緩慢', textEn: '', textZh: '', started: '2026-01-15T09:30' };
  expect((await client.post('/incidents', said)).status).toBe(303);
  const status: Answer = await (await gateway.call('/api/public/status')).json();
  expect(JSON.stringify(status)).toContain('回應緩慢');
  const list = await (await client.get('/incidents')).text();
  const path = /action="(\/incidents\/inc_\w+)\/end"/.exec(list)?.[1] ?? '';
  expect((await client.post(`${path}/end`)).status).toBe(303);
  expect(await (await client.get(`${path}/delete`)).text()).toContain('removed from the status page permanently');
  expect((await client.post(`${path}/delete`)).status).toBe(303);
  expect(await (await client.get('/incidents')).text()).not.toContain('Slow answers');
});

test('what an operator typed stands in no page as markup', async () => {
  const note = '<img src=x onerror=alert(1)>';
  const asked = await (await client.post('/cards/review', { amount: '1', count: '1', kind: 'sold', note })).text();
  expect(asked).not.toContain('<img');
  await client.post('/cards', { amount: '1', count: '1', kind: 'sold', note, once: fieldOf(asked, 'once') });
  for (const path of ['/cards', '/actions']) {
    const html = await (await client.get(path)).text();
    expect([path, html.includes('<img')]).toEqual([path, false]);
  }
});

test('what the server did itself is among the actions, and found by its name in either language', async () => {
  for (const [language, name] of [
    ['en', 'server'],
    ['zh-TW', '伺服器'],
  ] as const) {
    const operator = await clientOf(gateway, language);
    const html = await (await operator.get('/actions?actor=server')).text();
    expect(html).toContain(`<option value="server" selected="">${name}</option>`);
    expect(html).toMatch(new RegExp(`<td[^>]*><span class="nowrap">${name}</span></td>`));
    expect(html).toContain('config.apply');
    expect(html).not.toContain('incidents.');
    expect(await (await operator.get('/models/revisions')).text()).toMatch(new RegExp(`<td[^>]*>${name}</td>`));
  }
});

/** The first QR code of a page, as a camera sees it. */
function readQr(html: string): string | undefined {
  const size = Number(/class="qr" viewBox="0 0 (\d+)/.exec(html)?.[1]);
  const path = /class="dark" d="([^"]*)"/.exec(html)?.[1] ?? '';
  const width = size * PIXELS;
  const image = new Uint8ClampedArray(width * width * 4).fill(255);
  let [x, y] = [0, 0];
  for (const [, right, down, bar] of path.matchAll(/m(-?\d+) (\d+)|h(\d+)/g)) {
    for (let row = y * PIXELS; bar && row < (y + 1) * PIXELS; row++) {
      const start = (row * width + x * PIXELS) * 4;
      image.fill(0, start, start + Number(bar) * PIXELS * 4);
    }
    x += Number(bar ?? right);
    y += Number(down ?? 0);
  }
  return jsQR(image, width, width)?.data;
}
