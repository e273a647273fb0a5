-- Cost that an upstream bills and no customer pays. Kept as long as usage records.
CREATE TABLE losses (
  loss_id INTEGER PRIMARY KEY,
  request_id TEXT NOT NULL,
  at INTEGER NOT NULL,
  -- The Taipei day it counts for.
  day INTEGER NOT NULL,
  account_id TEXT NOT NULL,
  model TEXT NOT NULL,
  channel TEXT,
  reason TEXT NOT NULL,
  amount_nano INTEGER NOT NULL CHECK (amount_nano > 0)
) STRICT;
CREATE INDEX losses_by_day ON losses (day);
CREATE INDEX losses_by_account ON losses (account_id, day);
CREATE TRIGGER losses_are_not_updated BEFORE UPDATE ON losses
BEGIN SELECT RAISE(ABORT, 'losses are append-only'); END;

-- Per account, the losses of its newest day that count for the guard.
CREATE TABLE loss_days (
  account_id TEXT PRIMARY KEY REFERENCES accounts (account_id),
  day INTEGER NOT NULL,
  amount_nano INTEGER NOT NULL CHECK (amount_nano >= 0),
  -- Whether a loss of this day was charged to the account, because the guard was used up.
  reached INTEGER NOT NULL CHECK (reached IN (0, 1))
) STRICT, WITHOUT ROWID;

-- Why a request costs what it costs. Unknown for older records.
ALTER TABLE usage_records ADD COLUMN rule TEXT;
