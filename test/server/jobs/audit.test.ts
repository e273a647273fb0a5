// The online audit, once a minute: a wallet that is wrong is frozen, alone; books that do not balance stop paid traffic.

import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { fault } from '../../../src/faults/fault.ts';
import { createAlarms } from '../../../src/kit/alarms.ts';
import { createLog } from '../../../src/kit/log.ts';
import { auditLedger } from '../../../src/server/jobs/audit-ledger.ts';
import type { Store } from '../../../src/store/store.ts';
import { adminApiOf } from '../../support/admin-api.ts';
import type { Answer } from '../../support/answer.ts';
import { eventually } from '../../support/eventually.ts';
import { startTestGateway, type TestAccount, type TestGateway } from '../../support/gateway.ts';
import { createManualClock, type ManualClock } from '../../support/manual-clock.ts';
import { writeSql } from '../../support/write-sql.ts';

const PASS_MS = 60_000;
const STEP_MS = 3_000;
const NUDGE_MS = 100;
let gateway: TestGateway;
let clock: ManualClock;
let victim: TestAccount;
let other: TestAccount;

beforeEach(async () => {
  clock = createManualClock();
  gateway = await startTestGateway({ clock });
  victim = await gateway.register();
  other = await gateway.register();
});
afterEach(() => gateway.stop());

const change = (statement: string, ...values: string[]) => writeSql(gateway.databaseFile, statement, ...values);
const chat = (account: TestAccount, model: string) => gateway.chat(account.key, { model, max_tokens: 20 });
const SPOIL_BALANCE = 'UPDATE wallets SET balance_nano = balance_nano + 1 WHERE account_id = ?';
const alarmsOf = ({ accountId }: TestAccount) =>
  gateway.log.alarms('wallet_wrong').filter(({ account_id }) => account_id === accountId);
const isFrozen = ({ accountId }: TestAccount) =>
  gateway.sql('SELECT 1 FROM wallets WHERE frozen = 1 AND account_id = ?', accountId).length > 0;

/** Time goes by until a pass has found a wallet that was spoilt for it to find, and so has looked at the others too. */
async function auditOnce(): Promise<void> {
  const marker = await gateway.register();
  change(SPOIL_BALANCE, marker.accountId);
  await eventually('a pass', async () => {
    if (alarmsOf(marker).length > 0) return true;
    await clock.advance(STEP_MS);
    await eventually('a lease', async () => {
      const [lease] = gateway.sql<{ until: bigint }>('SELECT max(expires_at) AS until FROM leases');
      if (Number(lease?.until) > clock.now()) return true;
      // A renewal that took long has set the next one for a time that has not come.
      await clock.advance(NUDGE_MS);
      return false;
    });
    return false;
  });
  // It freezes what it has told of, one wallet after the other.
  await eventually('its freeze', () => isFrozen(marker));
}

describe('a wrong wallet', () => {
  const faults: [what: string, statement: string][] = [
    ['balance', SPOIL_BALANCE],
    ['held', 'UPDATE wallets SET held_nano = held_nano + 1 WHERE account_id = ?'],
    ['in_flight', 'UPDATE wallets SET in_flight = in_flight + 1 WHERE account_id = ?'],
    ['free_in_flight', 'UPDATE wallets SET free_in_flight = free_in_flight + 1 WHERE account_id = ?'],
    ['chain', 'UPDATE entries SET amount_nano = amount_nano + 1 WHERE account_id = ?'],
  ];

  test.each(faults)('by its %s is frozen, with an alarm that says why; nobody else is', async (what, statement) => {
    change(statement, victim.accountId);
    await auditOnce();
    await eventually('the freeze', () => isFrozen(victim));
    expect(isFrozen(other)).toBe(false);
    expect(alarmsOf(other)).toEqual([]);
    expect(alarmsOf(victim)).toHaveLength(1);
    expect(String(alarmsOf(victim)[0]?.detail)).toContain(`${what}: expected`);
    await eventually(
      'a row for the operator',
      () => gateway.sql(`SELECT * FROM alarms WHERE fields LIKE '%' || ? || '%'`, victim.accountId).length === 1,
    );
  });

  test('gets 503 for paid and free calls with a clear word, and others go on', async () => {
    change(SPOIL_BALANCE, victim.accountId);
    await auditOnce();
    await eventually('the freeze', () => isFrozen(victim));
    for (const model of ['demo-small', 'auto:free']) {
      const refused = await chat(victim, model);
      expect(refused.status).toBe(503);
      const { error }: Answer = await refused.json();
      expect(error.code).toBe('unavailable');
      expect(error.message).toContain('frozen');
      expect((await chat(other, model)).status).toBe(200);
    }
    // It may still look at itself, and nothing of it has moved.
    expect((await gateway.call('/api/me', { key: victim.key })).status).toBe(200);
    expect((await gateway.get('/api/usage', victim.key)).data).toEqual([]);
  });

  test('is told once, and not again with every pass', async () => {
    change(SPOIL_BALANCE, victim.accountId);
    await auditOnce();
    await auditOnce();
    await auditOnce();
    expect(alarmsOf(victim)).toHaveLength(1);
  });

  test('that an operator froze before is told once, too, and nothing is paid out of it', async () => {
    const api = adminApiOf(gateway);
    const path = `/accounts/${victim.accountId}`;
    await api('POST', `${path}/credit`, { amount_ntd: 5, reason: 'r', kind: 'topup' });
    await api('POST', `${path}/freeze`, { reason: 'closing' });
    const payout = () => api('POST', `${path}/payout`, { amount_ntd: 1, reason: 'closing' });
    expect((await payout()).status).toBe(200);
    change(SPOIL_BALANCE, victim.accountId);
    await auditOnce();
    await auditOnce();
    await eventually('the alarm', () => alarmsOf(victim).length > 0);
    expect(alarmsOf(victim)).toHaveLength(1);
    expect((await payout()).body.error.code).toBe('frozen_by_audit');
  });

  test('is found by the next pass, also if the clock has stepped back before it was used', async () => {
    const log = createLog(clock, gateway.log.write);
    const audit = await auditLedger(gateway.gateway.store, clock, createAlarms(log), log);
    audit.stop();
    expect((await audit.pass()).differences).toEqual([]);
    clock.step(-3_600_000);
    expect((await chat(victim, 'demo-small')).status).toBe(200);
    change(SPOIL_BALANCE, victim.accountId);
    await clock.advance(PASS_MS);
    expect((await audit.pass()).differences.map(({ subject }) => subject)).toContain(victim.accountId);
  });

  test('that was spoilt long ago is found by the pass after it is used again', async () => {
    await auditOnce();
    await auditOnce();
    await auditOnce();
    change(SPOIL_BALANCE, victim.accountId);
    await auditOnce();
    expect(isFrozen(victim)).toBe(false);
    expect((await chat(victim, 'demo-small')).status).toBe(200);
    await auditOnce();
    await eventually('the freeze', () => isFrozen(victim));
    expect(isFrozen(other)).toBe(false);
  });
});

describe('an account that was frozen after a call had settled on its wrong balance', () => {
  const mend = () =>
    change('UPDATE wallets SET balance_nano = balance_nano - 1 WHERE account_id = ?', victim.accountId);
  const thaw = () =>
    adminApiOf(gateway)('POST', `/accounts/${victim.accountId}/thaw`, { reason: 'the row was changed by hand' });
  const differences = async () =>
    (await gateway.gateway.store.read.audit({})).differences.filter(({ subject }) => subject === victim.accountId);

  beforeEach(async () => {
    change(SPOIL_BALANCE, victim.accountId);
    expect((await chat(victim, 'demo-small')).status).toBe(200);
    await auditOnce();
    await eventually('the freeze', () => isFrozen(victim));
    expect(String(alarmsOf(victim)[0]?.detail)).toContain('chain: expected');
  });

  test('stays thawed once the balance is right, and its later calls are audited as ever', async () => {
    mend();
    expect((await differences()).map(({ what }) => what)).toEqual(['chain']);
    expect((await thaw()).status).toBe(200);
    expect(await differences()).toEqual([]);
    await auditOnce();
    expect((await chat(victim, 'demo-small')).status).toBe(200);
    await auditOnce();
    await auditOnce();
    expect([isFrozen(victim), alarmsOf(victim).length]).toEqual([false, 1]);
    expect(await differences()).toEqual([]);
    change(SPOIL_BALANCE, victim.accountId);
    expect((await chat(victim, 'demo-small')).status).toBe(200);
    await auditOnce();
    await eventually('the second freeze', () => isFrozen(victim));
    expect(alarmsOf(victim)).toHaveLength(2);
  });

  test('is frozen again by the next pass if the balance was left wrong', async () => {
    expect((await thaw()).status).toBe(200);
    await auditOnce();
    await eventually('the second freeze', () => isFrozen(victim));
    expect(String(alarmsOf(victim)[1]?.detail)).toMatch(/^balance: expected \d+, found \d+$/);
  });

  test('says in the log which entry the thaw has accepted', async () => {
    const [wrong] = gateway.sql<{ id: bigint }>(
      'SELECT max(entry_id) AS id FROM entries WHERE account_id = ?',
      victim.accountId,
    );
    mend();
    await thaw();
    const [action] = await gateway.gateway.store.read.actions({ action: 'accounts.thaw', limit: 1 });
    expect(action).toMatchObject({ subject: victim.accountId, detail: { accepted_entry: Number(wrong?.id) } });
  });
});

describe('wrong wallets of which one cannot be frozen yet', () => {
  test('are all told at once, the others are frozen, and that one is told again with every pass until it is', async () => {
    const { store } = gateway.gateway;
    for (const { accountId } of [victim, other]) change(SPOIL_BALANCE, accountId);
    const [first] = (await store.read.audit({})).differences;
    const [kept, frozen] = first?.subject === victim.accountId ? [victim, other] : [other, victim];
    let isAway = true;
    const commit: Store['commit'] = async (name, input) => {
      if (isAway && 'accountId' in input && input.accountId === kept.accountId) throw fault('unavailable');
      return store.commit(name, input);
    };
    const log = createLog(clock, gateway.log.write);
    const audit = await auditLedger({ ...store, commit }, clock, createAlarms(log), log);
    audit.stop();
    const failure = (pass: Promise<unknown>) => pass.catch((error: unknown) => error);

    expect(await failure(audit.pass())).toMatchObject({ code: 'unavailable' });
    expect([isFrozen(kept), isFrozen(frozen)]).toEqual([false, true]);
    expect([alarmsOf(kept).length, alarmsOf(frozen).length]).toEqual([1, 1]);

    // Longer than passes overlap.
    clock.step(10 * PASS_MS);
    expect(await failure(audit.pass())).toMatchObject({ code: 'unavailable' });
    expect([alarmsOf(kept).length, alarmsOf(frozen).length]).toEqual([2, 1]);
    clock.step(10 * PASS_MS);
    isAway = false;
    await audit.pass();
    expect([isFrozen(kept), isFrozen(frozen)]).toEqual([true, true]);
    expect([alarmsOf(kept).length, alarmsOf(frozen).length]).toEqual([3, 1]);

    // The freeze itself has touched it.
    clock.step(10 * PASS_MS);
    await audit.pass();
    clock.step(10 * PASS_MS);
    expect((await audit.pass()).differences).toEqual([]);
    expect([alarmsOf(kept).length, alarmsOf(frozen).length]).toEqual([3, 1]);
  });
});

describe('right wallets', () => {
  test('stay free: passes over registrations, calls and failures find nothing', async () => {
    gateway.upstream.otherwise({ status: 404, body: ['{}'] });
    for (let minute = 0; minute < 3; minute++) {
      expect((await chat(victim, 'demo-small')).status).toBe(200);
      expect((await chat(other, 'auto:free')).status).toBe(200);
      expect((await chat(other, 'up-paid')).status).toBe(502);
      await gateway.register();
      await auditOnce();
    }
    expect([isFrozen(victim), isFrozen(other)]).toEqual([false, false]);
    expect([...alarmsOf(victim), ...alarmsOf(other), ...gateway.log.alarms('ledger_unbalanced')]).toEqual([]);
    expect(gateway.log.lines().filter(({ event }) => event === 'audit_failed')).toEqual([]);
  });
});

describe('books that do not balance', () => {
  const LOST = `INSERT INTO entries (at, kind, debit, credit, amount_nano, reference)
    VALUES (0, 'write_off', 'house:nowhere', 'house:revenue', 5, 'lost')`;

  test('stop paid calls of everyone with 503, and no free ones; the wallets are left alone', async () => {
    change(LOST);
    await auditOnce();
    const [alarm] = await eventually('the alarm', () => {
      const raised = gateway.log.alarms('ledger_unbalanced');
      return raised.length > 0 && raised;
    });
    expect(alarm?.cost_nano).toBe('5');
    // A pass that looked only at what is new would find nothing wrong, once the lost entry is old.
    await auditOnce();
    expect((await adminApiOf(gateway)('GET', '/ledger')).body.audit).toMatchObject({ is_full: true, total_nano: '5' });
    for (const account of [victim, other]) {
      const refused = await chat(account, 'demo-small');
      expect(refused.status).toBe(503);
      expect(((await refused.json()) as Answer).error.code).toBe('unavailable');
      expect(refused.headers.has('retry-after')).toBe(true);
      expect((await chat(account, 'auto:free')).status).toBe(200);
    }
    expect([isFrozen(victim), isFrozen(other)]).toEqual([false, false]);
  });

  test('open again when they balance again', async () => {
    change(LOST);
    await auditOnce();
    await eventually('paid calls stop', async () => (await chat(victim, 'demo-small')).status === 503);
    change(`DELETE FROM entries WHERE reference = 'lost'`);
    await auditOnce();
    await eventually('paid calls go on', async () => (await chat(victim, 'demo-small')).status === 200);
  });
});
