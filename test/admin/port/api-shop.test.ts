// Cards, accounts, ledger, alarms and incidents through the operator's API, and the log of what was done.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type AdminApi, adminApiOf } from '../../support/admin-api.ts';
import type { Answer } from '../../support/answer.ts';
import { eventually } from '../../support/eventually.ts';
import { startTestGateway, type TestAccount, type TestGateway } from '../../support/gateway.ts';
import { chatAnswer, errorScript } from '../../support/openai-chat.ts';
import { operatorOf } from '../../support/operator.ts';
import { createShiftedClock } from '../../support/shifted-clock.ts';

let gateway: TestGateway;
let api: AdminApi;
let account: TestAccount;
beforeAll(async () => {
  // No midnight comes between two tests that speak of a day.
  gateway = await startTestGateway({ clock: createShiftedClock({ standsStill: true }) });
  api = adminApiOf(gateway);
  gateway.upstream.otherwise(chatAnswer());
  account = await gateway.register();
});
afterAll(() => gateway.stop());

const names = (data: { action: string }[]) => data.map(({ action }) => action);
const actionsOf = async (subject: string) => names((await api('GET', `/actions?subject=${subject}`)).body.data);

describe('cards', () => {
  test('are issued with codes that work, found by serial, voided, and counted', async () => {
    const issued = await api('POST', '/cards', { amount_ntd: 100, count: 3, note: 'shop 7' });
    expect(issued.status).toBe(201);
    const { batch, cards } = issued.body;
    expect(batch).toMatchObject({ kind: 'sold', count: 3, amount_nano: '100000000000', note: 'shop 7' });
    const [first, second] = cards;
    const redeemed = await gateway.call('/api/redeem', { key: account.key, body: { code: first.code } });
    expect(redeemed.status).toBe(200);
    const voided = await api('POST', '/cards/void', { serials: [first.serial, second.serial.toLowerCase(), 'SN0'] });
    expect(voided.body.data).toEqual([
      { serial: first.serial, state: 'redeemed' },
      { serial: second.serial, state: 'voided' },
      { serial: 'SN0', state: 'unknown' },
    ]);
    const states = { issued: 1, redeemed: 1, voided: 1, expired: 0 };
    expect((await api('GET', `/batches/${batch.batch_id}`)).body.states).toEqual(states);
    expect((await api('GET', '/batches')).body.data).toMatchObject([{ batch_id: batch.batch_id, states }]);
    const found = await api('GET', `/cards?serial=${first.serial.toLowerCase()}`);
    expect(found.body.data).toMatchObject([{ state: 'redeemed', redeemed_by: account.accountId }]);
    const owner = { account_id: account.accountId };
    const spelt = first.code.toLowerCase().replaceAll('-', ' ');
    for (const [text, data] of [
      [first.serial, [{ ...owner, by: 'card' }]],
      [first.code, [{ ...owner, by: 'card_code' }]],
      [spelt, [{ ...owner, by: 'card_code' }]],
      [cards[2].code, []],
    ] as const) {
      expect((await api('GET', `/accounts?q=${encodeURIComponent(text)}`)).body.data).toMatchObject(data);
    }
    expect(gateway.log.text()).not.toContain(first.code);
    expect((await api('GET', '/cards?state=issued')).body.data).toHaveLength(1);
    expect(JSON.stringify(found.body)).not.toMatch(/"\w*hash"/);
    const sheet = await api('GET', `/batches/${batch.batch_id}/codes`);
    expect(sheet.body.data[0]).toEqual({
      serial: first.serial,
      code: first.code,
      link: expect.stringMatching(new RegExp(`/account/redeem#${first.code}$`)),
    });
    expect(await actionsOf(batch.batch_id)).toEqual(['cards.issue']);
    expect(await actionsOf(second.serial)).toEqual(['cards.void']);
    expect(await actionsOf(first.serial)).toEqual([]);
    expect(JSON.stringify((await api('GET', '/actions')).body)).not.toContain(first.code);
  });

  test('that sold cards expire, or a batch of none, is refused by its field', async () => {
    const sold = await api('POST', '/cards', { amount_ntd: '1', count: 1, expires: '2099-01-01' });
    expect([sold.status, sold.body.error.param]).toEqual([400, 'expires']);
    const none = await api('POST', '/cards', { amount_ntd: '0', count: 1 });
    expect([none.status, none.body.error.param]).toEqual([400, 'amount_ntd']);
    expect((await api('POST', '/cards', { amount_ntd: '1', count: 0 })).body.error.param).toBe('count');
    const promo = await api('POST', '/cards', { amount_ntd: '1', count: 1, kind: 'promo', expires: '2099-01-01' });
    expect(promo.body.batch.expires_at).toBe('2099-01-01T16:00:00.000Z');
    expect((await api('GET', '/batches/batch_none/codes')).status).toBe(404);
  });
});

describe('accounts', () => {
  test('are found by what a customer can say, and shown whole', async () => {
    const chat = await gateway.chat(account.key, { model: 'up-paid' });
    const requestId = chat.headers.get('x-request-id') ?? '';
    await chat.text();
    for (const [text, by] of [
      [account.accountId, 'account'],
      [account.keyId, 'key'],
      [account.key.slice(-4), 'last4'],
      [requestId, 'request'],
    ] as const) {
      const { data } = (await api('GET', `/accounts?q=${text}`)).body;
      expect(data).toContainEqual(expect.objectContaining({ account_id: account.accountId, by }));
    }
    expect((await api('GET', '/accounts?q=%25')).body.data).toEqual([]);
    const { body } = await api('GET', `/accounts/${account.accountId}`);
    expect(body.wallet).toMatchObject({ held_ntd: 0, frozen: false });
    expect(body.keys).toMatchObject([{ key_id: account.keyId, last4: account.key.slice(-4), revoked_at: null }]);
    expect(body.usage).toMatchObject([{ request_id: requestId, model: 'up-paid', channel: 'up' }]);
    expect(body.entries.map(({ kind }: { kind: string }) => kind)).toEqual(['usage', 'card', 'trial']);
    expect(body.credits.map(({ kind }: { kind: string }) => kind)).toEqual(['card', 'trial']);
    expect(body).toMatchObject({ entries_next: null, credits_next: null, usage_next: null });
    expect(JSON.stringify(body)).not.toMatch(/"(old_)?hash"/);
  });

  test('a refund is an entry with its reason, once; the ledger agrees', async () => {
    const refund = { amount_ntd: '12.5', reason: 'the answer was cut', kind: 'refund', once: 'form-1' };
    const before = (await gateway.get('/api/me', account.key)).balance_ntd;
    const done = await api('POST', `/accounts/${account.accountId}/credit`, refund);
    expect(done.body.balance_ntd).toBeCloseTo(before + 12.5, 9);
    const both = await Promise.all([1, 2].map(() => api('POST', `/accounts/${account.accountId}/credit`, refund)));
    expect(both.map(({ body }) => body.error.code)).toEqual(['already_done', 'already_done']);
    const twins = { ...refund, once: 'form-2', kind: 'credit' };
    const race = await Promise.all([1, 2].map(() => api('POST', `/accounts/${account.accountId}/credit`, twins)));
    expect(race.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    expect((await gateway.get('/api/me', account.key)).balance_ntd).toBeCloseTo(before + 25, 9);
    const { entries } = (await api('GET', `/accounts/${account.accountId}`)).body;
    expect(entries[1]).toMatchObject({ kind: 'refund', amount_ntd: 12.5, note: 'the answer was cut' });
    for (const bad of [
      { ...refund, amount_ntd: -1 },
      { ...refund, reason: ' ' },
    ]) {
      expect((await api('POST', `/accounts/${account.accountId}/credit`, bad)).status).toBe(400);
    }
    expect((await api('POST', '/accounts/acc_none/credit', { ...refund, once: 'x' })).status).toBe(404);
    expect(gateway.audit()).toEqual([]);
    expect((await api('POST', '/ledger/audit')).body).toMatchObject({ ok: true, is_full: true, differences: [] });
  });

  test('frozen, nothing is admitted; thawed, it is again', async () => {
    const path = `/accounts/${account.accountId}`;
    expect((await api('POST', `${path}/freeze`, { reason: 'stolen key' })).status).toBe(200);
    expect((await gateway.chat(account.key, { model: 'up-paid' })).status).not.toBe(200);
    expect((await api('POST', `${path}/freeze`, { reason: 'again' })).body.error.code).toBe('already_done');
    expect((await api('POST', `${path}/thaw`, { reason: 'key revoked' })).status).toBe(200);
    const again = await api('POST', `${path}/thaw`, { reason: 'again' });
    expect(again.body.error.message).toEndWith('is not frozen');
    expect((await gateway.chat(account.key, { model: 'up-paid' })).status).toBe(200);
    const { actions } = (await api('GET', path)).body;
    expect(actions.slice(0, 2)).toMatchObject([
      { action: 'accounts.thaw', actor: 'token', detail: { reason: 'key revoked' } },
      { action: 'accounts.freeze', detail: { reason: 'stolen key' } },
    ]);
  });

  test('calls of a frozen account page nobody: they are told to stop, counted apart, and no error of the log', async () => {
    const path = `/accounts/${account.accountId}`;
    const faults = async () => {
      const scrape = await operatorOf(gateway).scrape();
      const counted = (code: string) => scrape.value('gateway_faults_total', { code });
      return { frozen: counted('wallet_frozen'), unavailable: counted('unavailable') };
    };
    const errors = () => gateway.log.lines().filter(({ level }) => level === 'error').length;
    const before = { ...(await faults()), errors: errors() };
    await api('POST', `${path}/freeze`, { reason: 'stolen key' });
    for (const [route, status] of [
      ['/v1/chat/completions', 503],
      ['/v1/messages', 529],
    ] as const) {
      const body = { model: 'up-paid', max_tokens: 5, messages: [{ role: 'user', content: 'Hi' }] };
      const response = await gateway.call(route, { key: account.key, body });
      const { error }: Answer = await response.json();
      expect([response.status, error.code]).toEqual([status, 'unavailable']);
      expect(error.message).toContain('frozen');
      expect(response.headers.get('x-should-retry')).toBe('false');
      expect(response.headers.has('retry-after')).toBe(false);
    }
    await api('POST', `${path}/thaw`, { reason: 'key revoked' });
    expect({ ...(await faults()), errors: errors() }).toEqual({ ...before, frozen: before.frozen + 2 });
  });

  test('of several who freeze it at once, one did', async () => {
    const { accountId } = await gateway.register();
    const reason = 'stolen key';
    const all = await Promise.all([1, 2, 3].map(() => api('POST', `/accounts/${accountId}/freeze`, { reason })));
    expect(all.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
    expect(await actionsOf(accountId)).toEqual(['accounts.freeze']);
  });

  test('a key is made for who lost theirs, and stopped at once', async () => {
    const made = await api('POST', `/accounts/${account.accountId}/keys`, { name: 'second' });
    expect(made.status).toBe(201);
    const { api_key: key, key: row } = made.body;
    expect((await gateway.call('/api/me', { key })).status).toBe(200);
    expect((await api('DELETE', `/keys/${row.key_id}`)).body).toMatchObject({ revoked: true });
    expect((await gateway.call('/api/me', { key })).status).toBe(401);
    expect((await api('DELETE', `/keys/${row.key_id}`)).body.error.code).toBe('already_done');
    expect((await actionsOf(account.accountId)).slice(0, 2)).toEqual(['keys.revoke', 'keys.create']);
    expect(JSON.stringify((await api('GET', '/actions')).body)).not.toContain(key);
  });
});

describe('the ledger', () => {
  test('tells house accounts, revenue by day and write-offs', async () => {
    const { body } = await api('GET', '/ledger?days=2');
    expect(body.house).toContainEqual({ account: 'house:credit', amount_ntd: -12.5, amount_nano: '-12500000000' });
    expect(body.days).toHaveLength(2);
    expect(body.days[1].requests).toBeGreaterThan(0);
    // More was refunded than sold.
    expect(body.days[1].revenue_ntd).toBeCloseTo(-12.5, 2);
    expect(body.write_offs).toEqual([]);
  });

  test('is held against a bill, by model and day', async () => {
    const { days } = (await api('GET', '/ledger?days=1')).body;
    const day = days[0].day;
    const csv = `Model,Date,Input tokens,Output tokens,Amount\nscripted-2026-01,${day},22,14,1\nghost,${day},5,5,\nbad,x,1,1,1\n`;
    const { body } = await api('POST', '/ledger/reconcile', { channel: 'up', csv });
    expect(body.faults).toMatchObject([{ path: 'line 4.date' }]);
    expect(body.rows).toMatchObject([
      { model: 'ghost', period: day, agrees: false, difference: { input_tokens: 5 } },
      {
        model: 'scripted-2026-01',
        agrees: true,
        bill: { input_tokens: 22, amount_ntd: 1 },
        ours: { input_tokens: 22, output_tokens: 14, requests: 2, amount_ntd: null },
      },
    ]);
    expect((await api('POST', '/ledger/reconcile', { channel: 'none', csv })).status).toBe(404);
    expect((await api('POST', '/ledger/reconcile', { channel: 'up', csv: 'a,b\n1,2' })).body.error.param).toBe('csv');
  });
});

describe('what happened', () => {
  test('an alarm is open until it is seen; the channel tells why its breaker is open', async () => {
    gateway.upstream.next(errorScript(401, { message: 'no' }));
    await gateway.chat(account.key, { model: 'up-paid' });
    await eventually('the alarm is stored', async () => (await api('GET', '/alarms?open=true')).body.data.length > 0);
    const [alarm] = (await api('GET', '/alarms?open=true')).body.data;
    const told = { name: 'upstream_refused_our_key', severity: 'critical', subject: 'up' };
    expect(alarm).toMatchObject({ ...told, fields: { channel: 'up' } });
    expect((await api('GET', '/alarms/groups')).body.data).toMatchObject([
      { ...told, open: 1, newest_id: alarm.alarm_id },
    ]);
    const all = await Promise.all([1, 2, 3].map(() => api('POST', `/alarms/${alarm.alarm_id}/acknowledge`)));
    expect(all.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
    expect((await api('GET', '/actions?action=alarms.')).body.data).toHaveLength(1);
    expect((await api('POST', `/alarms/${alarm.alarm_id}/acknowledge`)).body.error.code).toBe('already_done');
    expect((await api('POST', '/alarms/999999/acknowledge')).status).toBe(404);
    expect((await api('GET', '/alarms?open=true')).body.data).toEqual([]);
    expect((await api('GET', '/alarms')).body.data[0]).toMatchObject({ acknowledged_by: 'token' });
  });

  test('alarms of one name are seen together', async () => {
    const { store } = gateway.gateway;
    for (let index = 0; index < 3; index++) await store.recordAlarm({ name: 'usage_invalid', fields: {} }, index);
    const [newest, middle] = (await api('GET', '/alarms?name=usage_invalid')).body.data;
    const wanted = { name: 'usage_invalid', through: middle.alarm_id };
    const all = await Promise.all([1, 2, 3].map(() => api('POST', '/alarms/acknowledge', wanted)));
    expect(all.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
    expect(all.find(({ status }) => status === 200)?.body).toEqual({ ...wanted, seen: 2 });
    const rest = { name: 'usage_invalid', through: newest.alarm_id, seen: 1 };
    expect((await api('POST', '/alarms/acknowledge', { name: 'usage_invalid' })).body).toEqual(rest);
    expect((await api('POST', '/alarms/acknowledge', { name: 'usage_invalid' })).body.error.code).toBe('already_done');
    expect((await api('POST', '/alarms/acknowledge', { name: 'none' })).status).toBe(404);
    expect((await api('GET', '/alarms?open=true&name=usage_invalid')).body.data).toEqual([]);
    expect((await api('GET', '/actions?action=alarms.acknowledge_all')).body.data).toHaveLength(2);
    const { breakers, last_errors: errors } = (await api('GET', '/channels/up')).body;
    expect(breakers).toMatchObject([{ state: 'open', why: 'key_refused', since: expect.any(String) }]);
    expect(errors[0]).toMatchObject({ model: 'up-paid', outcome: 'refused_our_key' });
  });

  test('incidents are told, changed, ended and taken back', async () => {
    const said = { title_en: 'Slow', title_zh: '變慢' };
    const added = await api('POST', '/incidents', said);
    expect(added.status).toBe(201);
    const id = added.body.incident_id;
    const half = await api('PUT', `/incidents/${id}`, { ...said, text_en: 'only one' });
    expect(half.body.error.param).toBe('textZh');
    const edited = await api('PUT', `/incidents/${id}`, { ...said, text_en: 'a\nb', text_zh: '甲\n乙' });
    expect(edited.body).toMatchObject({ incident_id: id, text_en: 'a\nb', ended_at: null });
    expect((await api('POST', `/incidents/${id}/end`)).body.ended_at).toEqual(expect.any(String));
    expect((await api('POST', `/incidents/${id}/end`)).body.error.code).toBe('already_done');
    expect((await api('GET', '/incidents')).body.data).toHaveLength(1);
    expect((await api('DELETE', `/incidents/${id}`)).status).toBe(200);
    expect(await actionsOf(id)).toEqual(['incidents.delete', 'incidents.end', 'incidents.edit', 'incidents.add']);
  });

  test('the end of an incident is corrected, and taken back', async () => {
    const said = { title_en: 'Slow', title_zh: '較慢', started: '2026-01-01T08:00+08:00' };
    const id = (await api('POST', '/incidents', said)).body.incident_id;
    const put = async (fields: object) => (await api('PUT', `/incidents/${id}`, { ...said, ...fields })).body;
    const end = '2026-01-01T01:00:00.000Z';
    expect((await put({ ended: '2026-01-01T09:00+08:00' })).ended_at).toBe(end);
    expect((await put({})).ended_at).toBe(end);
    expect((await put({ ended: '2025-12-31' })).error).toMatchObject({ code: 'invalid', param: 'ended' });
    expect((await put({ ended: '2099-01-01' })).error.param).toBe('ended');
    expect((await put({ ended: null })).ended_at).toBeNull();
    expect((await api('POST', `/incidents/${id}/end`)).status).toBe(200);
    expect((await put({ ended: '' })).ended_at).toBeNull();
    const [newest] = (await api('GET', `/actions?subject=${id}`)).body.data;
    expect(newest).toMatchObject({ action: 'incidents.edit', detail: { ended_at: null } });
    await api('DELETE', `/incidents/${id}`);
  });

  test('an incident that is over is told with its end', async () => {
    const said = { title_en: 'Slow', title_zh: '較慢', started: '2026-01-01T08:00+08:00' };
    const end = '2026-01-01T01:00:00.000Z';
    const { incident_id: id, ended_at } = (await api('POST', '/incidents', { ...said, ended: end })).body;
    expect(ended_at).toBe(end);
    const [added] = (await api('GET', `/actions?subject=${id}`)).body.data;
    expect(added).toMatchObject({ action: 'incidents.add', detail: { ended_at: end } });
    for (const ended of ['2025-12-31', '2099-01-01']) {
      expect((await api('POST', '/incidents', { ...said, ended })).body.error.param).toBe('ended');
    }
    const startless = await api('POST', '/incidents', { ...said, started: undefined, ended: end });
    expect(startless.body.error).toMatchObject({ code: 'invalid', param: 'started' });
    await api('DELETE', `/incidents/${id}`);
  });

  test('the log is told page by page, by area', async () => {
    const cards = await api('GET', '/actions?action=cards.&limit=2');
    expect(names(cards.body.data).every((name) => name.startsWith('cards.'))).toBe(true);
    const last = cards.body.data.at(-1).action_id;
    const next = await api('GET', `/actions?action=cards.&before=${last}`);
    expect(next.body.data.every(({ action_id }: { action_id: number }) => action_id < last)).toBe(true);
  });

  test('what is wrong in a call is told in our words', async () => {
    const told = async (method: string, path: string, body?: object) => {
      const { status, body: answer } = await api(method, path, body);
      return [status, answer.error.param, answer.error.message];
    };
    const faults = [
      [await told('GET', '/actions?limit=201'), 'limit', 'must be at most 200'],
      [await told('GET', '/actions?limit=0'), 'limit', 'must be at least 1'],
      [await told('GET', '/actions?limit=1.5'), 'limit', 'must be a whole number'],
      [await told('GET', '/actions?limit=many'), 'limit', 'must be a number'],
      [await told('GET', '/cards?state=lost'), 'state', 'must be one of issued, redeemed, voided, expired'],
      [await told('POST', '/cards/void', { serials: [] }), 'serials', 'must not be an empty list'],
      [await told('POST', '/cards/void', { serials: [1] }), 'serials.0', 'must be a text'],
      [await told('POST', '/cards', { count: 1 }), 'amount_ntd', 'must be a number, or one as a text'],
    ] as const;
    for (const [answer, param, message] of faults)
      expect(answer).toEqual([400, param, `${param} is not valid: ${message}.`]);
    expect(await told('POST', '/cards/void', { serials: ['SN'], odd: 1 })).toEqual([
      400,
      '',
      'The request is not valid: unknown field odd.',
    ]);
  });
});
