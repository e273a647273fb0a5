-- The part of an entry's amount that is paid balance: a refund of a request returns no more of it than the request took.
-- NULL: the entry is older than this column.
ALTER TABLE entries ADD COLUMN paid_nano INTEGER CHECK (paid_nano >= 0 AND paid_nano <= amount_nano);

-- The reference of an entry that was made with an idempotency key: the key counts for all kinds together. Older entries have
-- none, because two kinds may share one.
ALTER TABLE entries ADD COLUMN once TEXT;
CREATE UNIQUE INDEX entries_once ON entries (once) WHERE once IS NOT NULL;

-- Accounts that the audit froze: only what operators freeze is in the log.
INSERT INTO settings (name, value)
SELECT 'frozen_by_audit:' || account_id, '0' FROM wallets
WHERE frozen = 1 AND coalesce((
  SELECT action FROM audit_log WHERE subject = account_id AND action IN ('accounts.freeze', 'accounts.thaw')
  ORDER BY action_id DESC LIMIT 1
), '') <> 'accounts.freeze';
