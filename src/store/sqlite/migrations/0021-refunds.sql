-- The part of a balance that was paid for, and what of paid money was spent on requests: only the first can be paid out.
ALTER TABLE wallets ADD COLUMN paid_nano INTEGER NOT NULL DEFAULT 0
  CHECK (paid_nano >= 0 AND paid_nano <= balance_nano);
ALTER TABLE wallets ADD COLUMN paid_spent_nano INTEGER NOT NULL DEFAULT 0 CHECK (paid_spent_nano >= 0);

-- Sold cards were paid for; trial, promotion cards and credits were not. Free credit is spent first: what it could not cover
-- is the lowest point of its running sum.
WITH moves AS (
  SELECT account_id, entry_id, CASE
      WHEN kind = 'usage' THEN -amount_nano
      WHEN debit = 'house:cards_sold' THEN 0
      ELSE amount_nano END AS free,
    CASE WHEN debit = 'house:cards_sold' THEN amount_nano ELSE 0 END AS paid
  FROM entries WHERE account_id IS NOT NULL
), sums AS (
  SELECT account_id, paid, sum(free) OVER (PARTITION BY account_id ORDER BY entry_id) AS free FROM moves
), totals AS (
  SELECT account_id, sum(paid) AS paid, max(0, -min(free)) AS spent FROM sums GROUP BY account_id
)
UPDATE wallets SET
  paid_nano = max(0, min(balance_nano, totals.paid - totals.spent)),
  paid_spent_nano = totals.paid - max(0, min(balance_nano, totals.paid - totals.spent))
FROM totals WHERE totals.account_id = wallets.account_id AND totals.paid > 0;

-- The request or card that a refund is for.
ALTER TABLE entries ADD COLUMN refund_of TEXT;

-- What was refunded of one request or card: never more than it cost.
CREATE TABLE refunded (
  refund_of TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (account_id),
  charged_nano INTEGER NOT NULL,
  refunded_nano INTEGER NOT NULL CHECK (refunded_nano > 0 AND refunded_nano <= charged_nano)
) STRICT, WITHOUT ROWID;
CREATE INDEX refunded_by_account ON refunded (account_id);

-- Whom the statements of an account name.
CREATE TABLE billing_details (
  account_id TEXT PRIMARY KEY REFERENCES accounts (account_id),
  name TEXT,
  tax_id TEXT CHECK (length(tax_id) = 8),
  touched_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
