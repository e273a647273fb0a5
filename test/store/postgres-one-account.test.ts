// An operation touches the rows of one account at most, so that accounts can be divided among databases. PostgreSQL records
// every row that a transaction writes; each operation is committed alone, because a batch has many accounts on purpose. What
// else an operation writes or locks, which belongs to no account, is listed here and in docs/scaling.md.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { systemClock } from '../../src/kit/clock.ts';
import { taipeiDay } from '../../src/kit/taipei.ts';
import type { Touch } from '../../src/store/book/book.ts';
import { touches } from '../../src/store/book/decide.ts';
import type { Input, OperationName, Result } from '../../src/store/operations.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import type { NewEvent } from '../../src/store/rows.ts';
import type { Store } from '../../src/store/store.ts';
import { PAGE_TABLES, PAGES, type PageTable } from '../../src/store/tables.ts';
import { appliedLine } from '../support/applied-line.ts';
import { sharePostgres, type TestDatabase, type TestDatabases } from '../support/postgres.ts';
import { addKey, paidBy } from './suite/key-tree.ts';
import { loss } from './suite/losses.ts';
import {
  type Account,
  free,
  fresh,
  NODE,
  paid,
  redeeming,
  registration,
  releasing,
  sampleKey,
  settling,
  T0,
} from './suite/samples.ts';
import { delivery, webhookOf } from './suite/webhooks.ts';

/** Rows that belong to no single account, by operation. All others write rows of their account only. */
const SHARED: { [Name in OperationName]: readonly string[] } = {
  // Registrations are counted by address and for the whole site; the first call with an Idempotency-Key is remembered.
  register: ['replays', 'windows'],
  // Free calls are counted by address. The id of a session's budget is a hash of its key and its name.
  admit: ['session_budgets', 'windows'],
  previewAdmit: [],
  settle: ['session_budgets'],
  release: ['session_budgets', 'windows'],
  undo: ['windows'],
  sweep: ['session_budgets'],
  bookLosses: [],
  lease: ['leases'],
  revise: ['audit_log', 'events', 'revisions', 'settings'],
  // A card belongs to nobody until it is redeemed; guesses are counted by address.
  redeem: ['cards', 'replays', 'windows'],
  issue: ['card_batches', 'cards'],
  void: ['cards'],
  credit: [],
  refund: [],
  payout: [],
  setBilling: [],
  createKey: ['replays'],
  // Every node sees that keys changed by the version of the table.
  changeKey: ['versions'],
  rotateKey: ['replays', 'versions'],
  revokeKey: ['versions'],
  setBalanceLow: [],
  freeze: ['settings'],
  describeAccount: ['audit_log'],
  traffic: ['traffic_hours'],
  claim: ['settings'],
  setLogin: [],
  openSession: [],
  touchSession: [],
  closeSession: [],
  closeSessions: [],
  putIncident: ['events', 'incidents'],
  deleteIncident: ['incidents'],
  note: ['audit_log'],
  createWebhook: ['replays'],
  changeWebhook: [],
  deleteWebhook: [],
  recordDeliveries: [],
  scheduleWebhook: [],
  takeRole: ['settings'],
};

const ACCOUNT_PATTERN = 'acc_[0-9]+';
/** Of the row before and after: its account, or null if it has none. */
const RECORDER = `
  CREATE UNLOGGED TABLE written (table_name text, account_id text);
  CREATE FUNCTION account_of(one jsonb) RETURNS text LANGUAGE sql AS $$
    SELECT coalesce(
      one->>'account_id', one->>'redeemed_by',
      (SELECT account_id FROM keys WHERE key_id = one->>'key_id'),
      (SELECT account_id FROM webhooks WHERE webhook_id = one->>'webhook_id'),
      (SELECT redeemed_by FROM cards WHERE serial = one->>'reference'),
      (SELECT account_id FROM keys WHERE key_id = substring(one->>'window_id' from 'key_[0-9]+')),
      substring(one->>'window_id' from '${ACCOUNT_PATTERN}'))
  $$;
  CREATE FUNCTION record_row() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF TG_OP <> 'INSERT' THEN INSERT INTO written VALUES (TG_TABLE_NAME, account_of(to_jsonb(OLD))); END IF;
    IF TG_OP <> 'DELETE' THEN INSERT INTO written VALUES (TG_TABLE_NAME, account_of(to_jsonb(NEW))); END IF;
    IF TG_TABLE_NAME = 'entries' THEN
      INSERT INTO written SELECT 'entries', side FROM unnest(ARRAY[NEW.debit, NEW.credit]) AS side
        WHERE side ~ '^${ACCOUNT_PATTERN}$';
    END IF;
    RETURN NULL;
  END $$;
  DO $$ DECLARE name text; BEGIN
    FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename NOT IN ('written', 'writers') LOOP
      EXECUTE format('CREATE TRIGGER recorded AFTER INSERT OR UPDATE OR DELETE ON %I FOR EACH ROW EXECUTE FUNCTION record_row()', name);
    END LOOP;
  END $$;`;

/** Kinds of pages that belong to no account. A new kind has an account that `account_of` finds, or is listed here. */
const SHARED_PAGES: readonly PageTable[] = [
  ...(['sessionBudgets', 'leases', 'replays', 'traffic', 'incidents'] as const),
];

let server: TestDatabases;
let database: TestDatabase;
let store: Store;
const accountsOf = new Map<OperationName, Set<string>[]>();
const sharedOf = new Map<OperationName, Set<string>>();
const touched = new Set<PageTable>();
const withAccount = new Set<PageTable>();

beforeAll(async () => {
  server = await sharePostgres();
  database = await server.createDatabase();
  store = await openPostgresStore({ url: database.url, clock: systemClock });
  await database.plant(RECORDER);
});
afterAll(async () => {
  await store.close();
  await server.stop();
});

/** Commits it alone and notes whose pages it reads or locks, and whose rows it writes. */
async function commit<Name extends OperationName>(name: Name, input: Input<Name>): Promise<Result<Name>> {
  const pages = touches(name, input);
  const before = await accountsOfPages(pages);
  const result = await store.commit(name, input);
  const rows = await database.sql<{ table_name: string; account_id: string | null }>(
    'DELETE FROM written RETURNING table_name, account_id',
  );
  const accounts = new Set([
    ...rows.flatMap(({ account_id: accountId }) => accountId ?? []),
    ...before,
    ...(await accountsOfPages(pages)),
  ]);
  const shared = sharedOf.get(name) ?? new Set();
  for (const row of rows) if (row.account_id === null) shared.add(row.table_name);
  sharedOf.set(name, shared);
  accountsOf.set(name, [...(accountsOf.get(name) ?? []), accounts]);
  return result;
}

/** By the row of each page that is read or locked, or by its id if there is no row yet. */
async function accountsOfPages(pages: readonly Touch[]): Promise<string[]> {
  const accounts: string[] = [];
  for (const { table, id } of pages) {
    touched.add(table);
    const page = table === 'keyrings' ? PAGES.wallets : PAGES[table];
    const [row] = await database.sql<{ account_id: string | null }>(
      `SELECT coalesce(account_of(to_jsonb(page)), substring($1 from '${ACCOUNT_PATTERN}')) AS account_id
         FROM (SELECT 1) AS one LEFT JOIN ${page.name} AS page ON page.${page.idColumn} = $1`,
      id,
    );
    if (!row?.account_id) continue;
    withAccount.add(table);
    accounts.push(row.account_id);
  }
  return accounts;
}

const recorded = (): Store => ({ ...store, commit });
const replay = () => ({ id: fresh('replay'), bodyHash: 'hash', salt: 'salt' });

async function customer(): Promise<Account> {
  const input = registration({
    trial: 1_000_000_000_000n,
    replay: replay(),
    networks: [{ prefix: 48, address: fresh('network'), limit: 9 }],
  });
  expect(await commit('register', input)).toMatchObject({ ok: true });
  return { accountId: input.accountId, keyId: input.key.keyId };
}

/** All that the calls and keys of an account do. */
async function callModels(account: Account): Promise<void> {
  const team = await addKey(recorded(), account.accountId, {
    limits: { sessionBudget: 1_000_000n, requestsPerMinute: 100 },
  });
  const agent = await addKey(recorded(), account.accountId, {}, team.keyId);
  for (const key of [{ ...sampleKey(account.accountId), keyId: account.keyId }, agent]) {
    const input = await paidBy(store, key, { session: `session of ${agent.keyId}` });
    await commit('previewAdmit', input);
    expect(await commit('admit', input)).toMatchObject({ ok: true });
    const losses = { items: [loss()], guard: null };
    expect(await commit('settle', { ...settling(input, 500n), losses })).toMatchObject({ state: 'closed' });
    const failed = await paidBy(store, key, { session: `session of ${agent.keyId}` });
    await commit('admit', failed);
    expect(await commit('release', releasing(failed, true))).toMatchObject({ state: 'closed' });
    const swept = await paidBy(store, key);
    await commit('admit', swept);
    expect(await commit('sweep', { ...swept, at: T0 })).toMatchObject({ state: 'closed' });
    await commit('bookLosses', { ...swept, items: losses.items, at: T0 });
  }
  const freeAddress = fresh('address');
  const input = free(account, {
    charge: {
      free: true,
      limits: {
        perMinute: 6,
        perDayZero: 100,
        perDayPositive: 300,
        inFlight: 4,
        perAddress: { address: freeAddress, perDay: 9 },
      },
    },
  });
  await commit('admit', input);
  const { requestId, accountId, keyId } = input;
  expect(await commit('undo', { requestId, accountId, keyId, freeAddress, at: T0 })).toMatchObject({ state: 'closed' });
  const failed = { ...input, requestId: fresh('req') };
  await commit('admit', failed);
  expect(await commit('release', { ...releasing(failed, true), freeAddress })).toMatchObject({ state: 'closed' });
  const refused = paid(account, { hold: { base: 10n ** 18n } });
  expect(await commit('admit', refused)).toMatchObject({ ok: false });
}

async function moveMoney({ accountId }: Account): Promise<void> {
  const given = () => ({ accountId, reference: fresh('ref'), reason: 'late', at: T0 });
  const serials = [fresh('serial'), fresh('serial')];
  const batch = {
    batchId: fresh('batch'),
    kind: 'sold',
    amount: 1_000n,
    count: 2,
    expiresAt: null,
    note: null,
    createdAt: T0,
  } as const;
  await commit('issue', { batch, cards: serials.map((serial) => ({ serial, hash: `hash of ${serial}` })) });
  expect(await commit('redeem', redeeming(accountId, `hash of ${serials[0]}`, { replay: replay() }))).toMatchObject({
    ok: true,
  });
  await commit('redeem', redeeming(accountId, 'no such card'));
  await commit('void', { hash: `hash of ${serials[1]}` });
  expect(await commit('credit', { ...given(), amount: 5_000n, kind: 'topup' })).toMatchObject({ ok: true });
  const of = { kind: 'card', id: serials[0] ?? '', charged: 1_000n, isSold: false } as const;
  expect(await commit('refund', { ...given(), amount: 10n, of })).toMatchObject({ ok: true });
  expect(await commit('payout', { ...given(), amount: 100n, fee: 5n })).toMatchObject({ ok: true });
  await commit('freeze', { accountId, frozen: true, byAudit: true, at: T0 });
  await commit('freeze', { accountId, frozen: false, at: T0 });
}

async function manage({ accountId }: Account): Promise<void> {
  const key = sampleKey(accountId);
  await commit('createKey', { key, at: T0, replay: replay() });
  await commit('changeKey', { accountId, keyId: key.keyId, changes: { name: 'other' }, at: T0 });
  const rotation = { hash: fresh('hash'), last4: 'wxyz', graceUntil: T0 + 1_000, at: T0, replay: replay() };
  expect(await commit('rotateKey', { accountId, keyId: key.keyId, ...rotation })).toMatchObject({ ok: true });
  await commit('revokeKey', { accountId, keyId: key.keyId, at: T0 });
  await commit('setBalanceLow', { accountId, balanceLow: 10n, at: T0 });
  await commit('setBilling', { accountId, name: 'A', taxId: null, at: T0 });
  await commit('describeAccount', { accountId, nickname: 'a', log: appliedLine(T0) });
  const session = { hash: fresh('session'), keyId: null, createdAt: T0, seenAt: T0 };
  await commit('openSession', { accountId, session, at: T0 });
  await commit('touchSession', { accountId, hash: session.hash, at: T0 + 60_000 });
  const login = { accountId, before: null, name: fresh('name'), passwordHash: 'x', by: { session: session.hash } };
  expect(await commit('setLogin', { ...login, at: T0 })).toEqual({ ok: true });
  await commit('closeSession', { accountId, hash: session.hash });
  await commit('closeSessions', { accountId });
  const webhook = webhookOf(accountId);
  const { webhookId, url } = webhook;
  await commit('createWebhook', { webhook, at: T0, replay: replay() });
  await commit('changeWebhook', { accountId, webhookId, changes: { types: null }, at: T0 });
  await commit('recordDeliveries', { webhookId, deliveries: [delivery(webhookId, 1)], url, isGone: false, at: T0 });
  const { dueAt = null } = (await store.read.webhook(webhookId)) ?? {};
  await commit('scheduleWebhook', { webhookId, seenDueAt: dueAt, dueAt: T0 + 5, pausedUntil: null });
  await commit('deleteWebhook', { accountId, webhookId, at: T0 });
}

async function operate(): Promise<void> {
  await commit('lease', { nodeId: NODE, host: 'here', pid: 7, expiresAt: T0 + 1_000_000 });
  const data = { model: 'asked', effective_at: new Date(T0).toISOString(), price: { input_ntd: 1 } };
  const events: NewEvent[] = [{ accountId: null, type: 'price.changing', at: T0, data }];
  const revision = { document: '{}', source: 'operator', sourceHash: fresh('hash'), at: T0 } as const;
  await commit('revise', { ...revision, log: appliedLine(T0), events });
  const hour = taipeiDay(T0) * 24;
  await commit('traffic', { sums: [{ hour, channel: 'a', model: 'm', ok: 1, failed: 0, firstToken: [], total: [] }] });
  await commit('claim', { name: 'pepper', value: 'x' });
  await commit('takeRole', { name: 'role:test', expects: null, value: 'x' });
  const words = { titleEn: 'a', titleZh: 'a', textEn: 'a', textZh: 'a' };
  const incident = { incidentId: fresh('inc'), startedAt: T0, endedAt: null, ...words, createdAt: T0 };
  await commit('putIncident', { incident });
  await commit('deleteIncident', { incidentId: incident.incidentId });
  await commit('note', { log: appliedLine(T0) });
}

test('every operation keeps to one account, and to the shared rows that are listed', async () => {
  await operate();
  const accounts = [await customer(), await customer()];
  for (const act of [callModels, moveMoney, manage]) for (const account of accounts) await act(account);
  const many = [...accountsOf].filter(([, sets]) => sets.some(({ size }) => size > 1)).map(([name]) => name);
  expect(many).toEqual([]);
  const shared = Object.fromEntries([...sharedOf].map(([name, tables]) => [name, [...tables].sort()]));
  expect(shared).toEqual(Object.fromEntries(Object.entries(SHARED).map(([name, tables]) => [name, [...tables]])));
  expect([...touched].sort()).toEqual([...PAGE_TABLES].sort());
  expect(PAGE_TABLES.filter((table) => !withAccount.has(table)).sort()).toEqual([...SHARED_PAGES].sort());
});
