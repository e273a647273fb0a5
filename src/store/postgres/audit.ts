// The audit in PostgreSQL: every question in one snapshot, sent in one go.

import { HOUR_MS, MINUTE_MS } from '../../kit/clock.ts';
import {
  AUDIT_HOUSE,
  AUDIT_TOTAL,
  AUDIT_WALLETS,
  auditQueriesFor,
  fillAudit,
  toDifference,
  toReport,
} from '../audit-queries.ts';
import type { AuditReport, AuditScope } from '../reads.ts';
import type { Pool } from './pool.ts';

const FULL_PASS = { statementMs: 10 * MINUTE_MS, wholeMs: HOUR_MS };
/** It is due every minute, and looks at little. */
const SHORT_PASS = { statementMs: MINUTE_MS, wholeMs: 5 * MINUTE_MS };
/** Entries are numbered before they are committed: so far back there may be some that this snapshot did not see yet. */
const STILL_OPEN = 4_096;

export async function audit(pool: Pick<Pool, 'askTogether'>, scope: AuditScope): Promise<AuditReport> {
  const questions = auditQueriesFor(scope);
  const house = scope.since ? [] : [AUDIT_HOUSE];
  const [wallets, total, ...rest] = await pool.askTogether(
    [AUDIT_WALLETS, AUDIT_TOTAL, ...questions.map(({ sql }) => sql), ...house].map((sql) => ({
      sql: fillAudit(sql, scope, (column) => column),
    })),
    scope.since ? SHORT_PASS : FULL_PASS,
  );
  const differences = questions.flatMap(({ what }, index) => (rest[index] ?? []).map((row) => toDifference(what, row)));
  const report = toReport(wallets?.[0]?.wallets, total?.[0], rest[questions.length] ?? [], differences);
  return { ...report, lastEntryId: Math.max(0, report.lastEntryId - STILL_OPEN) };
}
