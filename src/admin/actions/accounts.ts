// An operator's actions for a customer: inspect the account, freeze, manage keys.

import { createKeyText, lastFour } from '../../accounts/keys/key-format.ts';
import { treeOrder } from '../../accounts/keys/key-tree.ts';
import { newKeyRow } from '../../accounts/keys/new-key-row.ts';
import { parseCursor, writeCursor } from '../../accounts/usage/read-query.ts';
import type { Nano } from '../../kit/money.ts';
import { taipeiDay } from '../../kit/taipei.ts';
import { isLiveKey } from '../../store/key-chain.ts';
import type { UsageQuery } from '../../store/reads.ts';
import type { Entry, KeyRow, StoredEntry, UsageRecord } from '../../store/rows.ts';
import { logLine } from './audit-log.ts';
import { MAX_REASON_CHARS } from './money.ts';
import { showLosses } from './profit.ts';
import { readLine } from './read-input.ts';
import { invalid, notFound, OperatingRefused } from './refused.ts';
import type { Actor, OperatingTools, ReadingTools, StoreTools } from './tools.ts';

/** Without hashes. */
export interface KeyView extends Omit<KeyRow, 'hash' | 'oldHash' | 'oldHashUntil'> {
  state: 'live' | 'expired' | 'revoked';
}

export type AccountView = Awaited<ReturnType<typeof showAccount>>;

export type UsageFilter = Pick<UsageQuery, 'models' | 'keyId' | 'status' | 'isFailed'>;

/** Start of the pages; the newest by default. */
export interface AccountPages {
  entriesBefore?: number | undefined;
  creditsBefore?: number | undefined;
  usageCursor?: string | undefined;
  usageFilter?: UsageFilter | undefined;
  /** On each page; 50 if left out. */
  rows?: number;
}

const ROWS_SHOWN = 50;
const ACTIONS_SHOWN = 50;
const DAYS_SHOWN = 30;
const MAX_NAME_CHARS = 100;

/** Refused: not_found, invalid. */
export async function showAccount(
  { store, clock }: ReadingTools,
  accountId: string,
  { entriesBefore, creditsBefore, usageCursor, usageFilter, rows = ROWS_SHOWN }: AccountPages = {},
) {
  const { read } = store;
  const after = usageCursor === undefined ? undefined : parseCursor(usageCursor);
  if (usageCursor !== undefined && !after) throw invalid('usage_cursor', 'must be usage_next of the page before');
  const wallet = await read.wallet(accountId);
  if (!wallet) throw noSuchAccount(accountId);
  const losses = (days: number) => showLosses({ store, clock }, { by: 'reason', days, accountId });
  const [createdAt, login, note, holds, entries, credits, keys, usage, spendByDay, lostToday, lost, actions] =
    await Promise.all([
      read.accountSince(accountId),
      read.login(accountId),
      read.accountNote(accountId),
      read.openHolds(accountId),
      read.entriesOf(accountId, rows + 1, entriesBefore),
      read.creditsOf(accountId, rows + 1, creditsBefore),
      read.keysOf(accountId),
      read.usagePage({ accountId, limit: rows, ...usageFilter, ...(after ? { after } : {}) }),
      read.spendByDay(accountId, taipeiDay(clock.now()) - DAYS_SHOWN + 1),
      losses(1),
      losses(DAYS_SHOWN),
      read.actions({ subject: accountId, limit: ACTIONS_SHOWN }),
    ]);
  const last = usage.records.at(-1);
  return {
    accountId,
    createdAt,
    wallet,
    loginName: login?.name ?? null,
    ...note,
    holds,
    /** One page, newest first, and the start of the next page; null if there is none. */
    entries: entries.slice(0, rows),
    entriesNext: nextOf(entries, rows),
    /** The entries that added money, in their own pages. */
    credits: credits.slice(0, rows),
    creditsNext: nextOf(credits, rows),
    /** Parents before their children, otherwise oldest first; revoked ones included. */
    keys: treeOrder(keys).map((key) => viewKey(key, clock.now())),
    /** One page, newest first, and the cursor of the next one. */
    usage: usage.records,
    usageNext: usage.hasMore && last ? writeCursor(last.at, last.requestId) : null,
    /** The last 30 days with requests, oldest first. */
    spendByDay,
    /** Upstream cost of its requests that it did not pay: today, and in the last 30 days. */
    lostToday: lostToday.total,
    lost: lost.total,
    /** Actions of operators with their reasons; newest first. */
    actions,
  };
}

/** One entry more than a page was read. */
function nextOf(entries: readonly StoredEntry[], rows: number): number | null {
  return entries.length > rows ? (entries[rows - 1]?.entryId ?? null) : null;
}

/** A request's entry outlives its usage record. */
type RequestView =
  | { isOpen: true; keyId: string }
  | { isOpen: false; record: UsageRecord; refunded: Nano }
  | { isOpen: false; record?: undefined; entry: Entry; refunded: Nano };

/** Everything stored about one request, which is no content; `isOpen` while it runs. Refused: not_found. */
export async function showRequest({ store }: StoreTools, accountId: string, requestId: string): Promise<RequestView> {
  const hold = (await store.read.openHolds(accountId)).find((open) => open.requestId === requestId);
  if (hold) return { isOpen: true, keyId: hold.keyId };
  const record = await store.read.usageRecord(accountId, requestId);
  const refunded = (await store.read.refundedOf(requestId))?.refunded ?? 0n;
  if (record) return { isOpen: false, record, refunded };
  const entry = await store.read.usageEntry(accountId, requestId);
  if (!entry) throw notFound(`request ${requestId}`);
  return { isOpen: false, entry, refunded };
}

/**
 * Unfreezing accepts the entries written while the wallet was wrong, as entries never change. A balance that is still wrong
 * freezes the account again. Refused: not_found, invalid, already_done.
 */
export async function setFrozen(
  tools: OperatingTools,
  accountId: string,
  given: { frozen: boolean; reason: string; actor: Actor },
): Promise<void> {
  const { store, clock } = tools;
  const { frozen, actor } = given;
  const reason = readLine(given.reason, 'reason', MAX_REASON_CHARS);
  if (!(await store.read.wallet(accountId))) throw noSuchAccount(accountId);
  const accepted = frozen ? undefined : await store.read.wrongChain(accountId);
  const log = logLine(tools, actor, frozen ? 'accounts.freeze' : 'accounts.thaw', accountId, {
    reason,
    ...(accepted && { accepted_entry: accepted.entryId }),
  });
  const { wasAlready } = await store.commit('freeze', { accountId, frozen, at: clock.now(), accepted, log });
  if (wasAlready)
    throw new OperatingRefused('already_done', `${accountId} is ${frozen ? 'frozen already' : 'not frozen'}`);
}

/** Creates a managing key, shown once. Refused: not_found, invalid, too_many_keys. */
export async function createKey(
  tools: OperatingTools,
  accountId: string,
  given: { name: string | null; actor: Actor },
): Promise<{ apiKey: string; key: KeyView }> {
  const { store, clock, random, newId, hashKey } = tools;
  const name = given.name === null || given.name.trim() === '' ? null : readLine(given.name, 'name', MAX_NAME_CHARS);
  const apiKey = createKeyText(random);
  const at = clock.now();
  const key = newKeyRow(
    { keyId: newId('key'), accountId, hash: hashKey(apiKey), last4: lastFour(apiKey), manage: true, createdAt: at },
    { name },
  );
  const { keyId, last4 } = key;
  const log = logLine(tools, given.actor, 'keys.create', accountId, { key_id: keyId, last4 });
  const result = await store.commit('createKey', { key, at, log });
  if (!result.ok) {
    if (result.reason === 'not_found') throw noSuchAccount(accountId);
    throw new OperatingRefused('too_many_keys', `${accountId} has as many keys as an account may have`);
  }
  return { apiKey, key: viewKey(key, clock.now()) };
}

/** Revokes it on every node within a second. Refused: not_found, already_done. */
export async function revokeKey(tools: OperatingTools, keyId: string, actor: Actor): Promise<{ accountId: string }> {
  const { store, clock } = tools;
  const key = await store.read.keyById(keyId);
  if (!key) throw notFound(`key ${keyId}`);
  const { accountId, last4 } = key;
  const log = logLine(tools, actor, 'keys.revoke', accountId, { key_id: keyId, last4 });
  const result = await store.commit('revokeKey', { accountId, keyId, at: clock.now(), evenIfLast: true, log });
  if (!result.ok) throw new OperatingRefused('already_done', `${keyId} is already revoked`);
  await tools.follow();
  return { accountId };
}

function viewKey({ hash: _, oldHash: __, oldHashUntil: ___, ...key }: KeyRow, now: number): KeyView {
  return { ...key, state: isLiveKey(key, now) ? 'live' : key.revokedAt === null ? 'expired' : 'revoked' };
}

function noSuchAccount(accountId: string): OperatingRefused {
  return notFound(`account ${accountId}`);
}
