// The audit in SQLite: every question in one read transaction, so that they all see the same moment.

import type { Database } from 'bun:sqlite';
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

type Row = Record<string, unknown>;

export function audit(db: Database, scope: AuditScope): AuditReport {
  const ask = (sql: string) => db.query<Row, []>(fillAudit(sql, scope, (column) => `${column} = 1`));
  const differences = auditQueriesFor(scope).flatMap(({ what, sql }) =>
    ask(sql)
      .all()
      .map((row) => toDifference(what, row)),
  );
  const house = scope.since ? [] : ask(AUDIT_HOUSE).all();
  return toReport(ask(AUDIT_WALLETS).get()?.wallets, ask(AUDIT_TOTAL).get(), house, differences);
}
