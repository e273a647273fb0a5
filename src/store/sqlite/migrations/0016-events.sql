-- What happened to one account, or to all of them (NULL), written by the operation that caused it. Kept for 30 days; a number
-- is never given twice, because clients use it as a cursor.
CREATE TABLE events (
  event_id INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id TEXT REFERENCES accounts (account_id),
  type TEXT NOT NULL,
  at INTEGER NOT NULL,
  -- Ids and figures, as the API shows them.
  data TEXT NOT NULL
) STRICT;
CREATE INDEX events_by_account ON events (account_id, event_id);
CREATE INDEX events_by_time ON events (at);
CREATE TRIGGER events_are_not_updated BEFORE UPDATE ON events
BEGIN SELECT RAISE(ABORT, 'events are append-only'); END;

-- A settlement that brings the balance below this amount adds the event balance.low; NT$5 unless the account sets another.
ALTER TABLE wallets ADD COLUMN balance_low_nano INTEGER NOT NULL DEFAULT 5000000000 CHECK (balance_low_nano >= 0);
