// The ledger for the operator: audit result, internal accounts, revenue.

import { DAY_MS } from '../../kit/clock.ts';
import { taipeiDay } from '../../kit/taipei.ts';
import { type Entry, HOUSE_ACCOUNTS } from '../../store/rows.ts';
import { record } from './audit-log.ts';
import type { Actor, AuditPass, OperatingTools, ReadingTools, StoreTools } from './tools.ts';

/** The last pass on this node; undefined before the first, and on the command line. */
export function auditResult({ node }: OperatingTools): AuditPass | undefined {
  return node?.lastAudit();
}

/** Recomputes every invariant from the entries. */
export async function runFullAudit(tools: OperatingTools, actor: Actor): Promise<AuditPass> {
  const at = tools.clock.now();
  const report = await tools.store.read.audit({ now: at });
  const { wallets, entries, differences } = report;
  await record(tools, actor, 'ledger.audit', 'ledger', { wallets, entries, differences: differences.length });
  return { at, isFull: true, report };
}

/** The sum of each internal account: below 0 if it gave money; including accounts without entries. */
export async function internalAccounts({ store }: StoreTools) {
  const amounts = await store.read.houseAccounts();
  return HOUSE_ACCOUNTS.map((account) => ({ account, amount: amounts[account] ?? 0n }));
}

/** Newest first. */
export function writeOffs({ store }: StoreTools, limit: number): Promise<Entry[]> {
  return store.read.writeOffs(limit);
}

/**
 * The last days up to today, oldest first, including those without requests. Figures of a day whose usage is no longer kept
 * are null.
 */
export async function dailyRevenue({ store, clock }: ReadingTools, days: number) {
  const first = taipeiDay(clock.now()) - days + 1;
  const known = new Map((await store.read.revenueByDay(first)).map((revenue) => [revenue.day, revenue]));
  const keptDay = await store.read.usageKeptFrom();
  return Array.from({ length: days }, (_, index) => {
    const day = dayText(first + index);
    if (first + index < keptDay) return { day, requests: null, accounts: null, revenue: null };
    const { requests = 0, accounts = 0, revenue = 0n } = known.get(first + index) ?? {};
    return { day, requests, accounts, revenue };
  });
}

/** Formats a day as a date. */
export function dayText(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}
