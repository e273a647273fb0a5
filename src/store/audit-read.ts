// The audit: every query in one snapshot, and their rows as one report.

import { HOUR_MS, MINUTE_MS } from '../kit/clock.ts';
import {
  AUDIT_HOUSE,
  AUDIT_TOTAL,
  AUDIT_WALLETS,
  type AuditedKind,
  auditQueriesFor,
  fillAudit,
  toHouse,
} from './audit-queries.ts';
import { ask, type Read, type Row, type Rows, SLOW_JOURNALED } from './read.ts';

/** A difference that the audit found. */
export interface Difference {
  what: AuditedKind | 'total';
  /** The account, key, card or request it is about, or another reference of an entry. */
  subject: string;
  expected: string;
  found: string;
}

/** A short pass reads wallets changed since a time and entries after a number; a full one reads everything. */
export interface AuditScope {
  /** From a full pass; without it, dates in the future are not checked. */
  now?: number;
  since?: { touchedAt: number; entryId: number };
}

export type AuditReport = ReturnType<typeof toReport>;

const FULL_PASS = { statementMs: 10 * MINUTE_MS, wholeMs: HOUR_MS };
/** It is due every minute, and looks at little. */
const SHORT_PASS = { statementMs: MINUTE_MS, wholeMs: 5 * MINUTE_MS };

export const AUDIT: Read<[AuditScope], AuditReport> = {
  ...SLOW_JOURNALED,
  limits: ({ since }) => (since ? SHORT_PASS : FULL_PASS),
  ask(scope) {
    const differences = auditQueriesFor(scope).map(({ sql }) => sql);
    const house = scope.since ? [] : [AUDIT_HOUSE];
    return [AUDIT_WALLETS, AUDIT_TOTAL, ...differences, ...house].map((sql) => ask(fillAudit(sql, scope)));
  },
  decode([wallets, total, ...rest], scope) {
    const queries = auditQueriesFor(scope);
    const differences = queries.flatMap(({ what }, index) => (rest[index] ?? []).map((row) => toDifference(what, row)));
    return toReport(wallets?.[0], total?.[0], rest[queries.length] ?? [], differences);
  },
};

function toDifference(what: Difference['what'], row: Row): Difference {
  return { what, subject: String(row.subject), expected: String(row.expected), found: String(row.found) };
}

function toReport(wallets: Row | undefined, total: Row | undefined, house: Rows, found: Difference[]) {
  const sum = BigInt(String(total?.total ?? 0));
  const ofTotal: Difference = { what: 'total', subject: 'ledger', expected: '0', found: String(sum) };
  return {
    wallets: Number(wallets?.wallets),
    entries: Number(total?.entries ?? 0),
    /** Where the next short pass may begin. */
    lastEntryId: Number(total?.last_entry_id ?? 0),
    /** Over all known wallets and house accounts; anything but 0 means that money left the books. */
    total: sum,
    house: toHouse(house),
    differences: sum === 0n ? found : [...found, ofTotal],
  };
}
