// The ledger for an operator: does it agree, what do the house accounts say, what came in.

import type { Nano } from '../kit/money.ts';
import type { Entry } from '../store/rows.ts';
import type { Actor, AuditPass, OperatingTools } from './tools.ts';

export interface DayRevenue {
  /** As a calendar in Taipei writes it: 2026-11-15. */
  day: string;
  requests: number;
  accounts: number;
  revenue: Nano;
}

/** The last pass on this node; undefined before the first, and on the command line. */
export function auditResult(tools: OperatingTools): AuditPass | undefined {
  return tools.node?.lastAudit();
}
/** Recomputes every invariant from the entries, now. */
export function runFullAudit(tools: OperatingTools, actor: Actor): Promise<AuditPass> {
  throw new Error('not yet');
}
/** What each house account gave (below 0) or took. */
export function houseAccounts(tools: OperatingTools): Promise<{ account: string; amount: Nano }[]> {
  throw new Error('not yet');
}
/** Newest first. */
export function writeOffs(tools: OperatingTools, limit: number): Promise<Entry[]> {
  throw new Error('not yet');
}
/** The last days up to today, oldest first, those without requests included. */
export function dailyRevenue(tools: OperatingTools, days: number): Promise<DayRevenue[]> {
  throw new Error('not yet');
}
