-- What the operator calls an account, and wrote down about it.
CREATE TABLE account_notes (
  account_id TEXT PRIMARY KEY REFERENCES accounts (account_id),
  nickname TEXT,
  note TEXT,
  -- The nickname as searches compare it.
  search TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX accounts_by_creation ON accounts (created_at, account_id);

-- Refused requests by Taipei day. Account and key are empty where they are unknown.
CREATE TABLE refusal_days (
  account_id TEXT NOT NULL,
  day INTEGER NOT NULL,
  key_id TEXT NOT NULL,
  code TEXT NOT NULL,
  refused INTEGER NOT NULL CHECK (refused > 0),
  PRIMARY KEY (account_id, day, key_id, code)
) STRICT, WITHOUT ROWID;
CREATE INDEX refusal_days_by_day ON refusal_days (day);

-- The newest refused requests of each account, without any content. The account is empty where it is unknown.
CREATE TABLE refused_requests (
  request_id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL,
  key_id TEXT NOT NULL,
  at INTEGER NOT NULL,
  endpoint TEXT NOT NULL,
  -- Only one that the catalog has.
  model TEXT,
  status INTEGER NOT NULL,
  code TEXT NOT NULL,
  -- Limits and amounts that the response named, as JSON.
  figures TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX refused_requests_by_account ON refused_requests (account_id, request_id);
CREATE INDEX refused_requests_by_time ON refused_requests (at);
