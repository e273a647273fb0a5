-- The part of a balance that was paid for, and what of paid money was spent on requests: only the first can be paid out.
ALTER TABLE wallets ADD COLUMN paid_nano bigint NOT NULL DEFAULT 0
  CHECK (paid_nano >= 0 AND paid_nano <= balance_nano);
ALTER TABLE wallets ADD COLUMN paid_spent_nano bigint NOT NULL DEFAULT 0 CHECK (paid_spent_nano >= 0);

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
  SELECT account_id, sum(paid)::bigint AS paid, greatest(0, -min(free))::bigint AS spent FROM sums GROUP BY account_id
)
UPDATE wallets SET
  paid_nano = greatest(0, least(balance_nano, totals.paid - totals.spent)),
  paid_spent_nano = totals.paid - greatest(0, least(balance_nano, totals.paid - totals.spent))
FROM totals WHERE totals.account_id = wallets.account_id AND totals.paid > 0;

-- The request or card that a refund is for.
ALTER TABLE entries ADD COLUMN refund_of text COLLATE "C";

-- What was refunded of one request or card: never more than it cost.
CREATE TABLE refunded (
  refund_of text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL REFERENCES accounts (account_id),
  charged_nano bigint NOT NULL,
  refunded_nano bigint NOT NULL CHECK (refunded_nano > 0 AND refunded_nano <= charged_nano)
);
CREATE INDEX refunded_by_account ON refunded (account_id);

-- Whom the statements of an account name.
CREATE TABLE billing_details (
  account_id text COLLATE "C" PRIMARY KEY REFERENCES accounts (account_id),
  name text,
  tax_id text CHECK (length(tax_id) = 8),
  touched_at bigint NOT NULL
);
