// The online audit: every minute it compares the wallets touched since the last pass with their entries and holds, in
// one snapshot. A wrong wallet is frozen, with an alarm; only money missing from the ledger as a whole stops paid
// traffic.

import type { AuditPass } from '../../admin/actions/tools.ts';
import type { Alarms } from '../../kit/alarms.ts';
import type { Clock } from '../../kit/clock.ts';
import type { Log } from '../../kit/log.ts';
import { wrongWallets } from '../../store/audit-queries.ts';
import type { AuditReport, Difference } from '../../store/reads.ts';
import type { Store } from '../../store/store.ts';
import { repeat } from './repeat.ts';

const PASS_MS = 60_000;
/** Passes overlap: a commit may become visible a little later than its timestamp. */
const OVERLAP_MS = 10_000;
const OVERLAP_ENTRIES = 10_000;

export async function auditLedger(store: Store, clock: Clock, alarms: Alarms, log: Log) {
  const mark = await store.read.audit({ since: { touchedAt: clock.now(), entryId: Number.MAX_SAFE_INTEGER } });
  let entryId = mark.lastEntryId;
  let touchedAt = clock.now() - PASS_MS;
  let lookedAt = clock.monotonic() - PASS_MS;
  let unbalanced = false;
  let last: AuditPass | undefined;

  async function pass(): Promise<AuditReport> {
    const startedAt = clock.now();
    const begunAt = clock.monotonic();
    // The earlier of both clocks: the wall clock may have stepped back since.
    const from = Math.min(touchedAt, startedAt - (begunAt - lookedAt));
    const since = { touchedAt: from - OVERLAP_MS, entryId: Math.max(0, entryId - OVERLAP_ENTRIES) };
    // After an imbalance, only a full audit can clear it.
    const isFull = unbalanced;
    const report = await store.read.audit(isFull ? { now: startedAt } : { since });
    last = { at: startedAt, isFull, report };
    unbalanced = report.total !== 0n;
    if (unbalanced) alarms.raise('ledger_unbalanced', { cost_nano: report.total.toString() });
    const failures: unknown[] = [];
    for (const [accountId, wrong] of wrongWallets(report.differences)) {
      await freeze(accountId, wrong).catch((error: unknown) => failures.push(error));
    }
    // The next pass covers the same wallets again.
    if (failures.length > 0) throw failures[0];
    touchedAt = Math.min(startedAt, clock.now());
    lookedAt = begunAt;
    entryId = report.lastEntryId;
    return report;
  }

  /** A repeated alarm means that the wallet is still not frozen. One that an operator froze is marked as wrong, too. */
  async function freeze(accountId: string, wrong: readonly Difference[]): Promise<void> {
    const wallet = await store.read.wallet(accountId);
    if (!wallet) return;
    const detail = wrong.map(({ what, expected, found }) => `${what}: expected ${expected}, found ${found}`).join('; ');
    const raise = () => alarms.raise('wallet_wrong', { account_id: accountId, detail });
    if (!wallet.frozen) raise();
    const { wasAlready } = await store.commit('freeze', { accountId, frozen: true, byAudit: true, at: clock.now() });
    if (wallet.frozen && !wasAlready) raise();
  }

  return {
    /** True while the last pass found the ledger unbalanced: no paid request is admitted. */
    isUnbalanced: () => unbalanced,
    pass,
    /** The last pass; undefined before the first. */
    last: () => last,
    stop: repeat(clock, log, PASS_MS, 'audit_failed', pass),
  };
}
