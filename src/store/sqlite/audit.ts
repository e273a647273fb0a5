// The audit of a file that is open here, such as a copy. Nobody else writes to it meanwhile.

import type { Database } from 'bun:sqlite';
import { AUDIT, type AuditReport, type AuditScope } from '../audit-read.ts';

export function audit(db: Database, scope: AuditScope): AuditReport {
  const answers = AUDIT.ask(scope).map(({ sql }) => db.query<Record<string, unknown>, []>(sql).all());
  return AUDIT.decode(answers, scope);
}
