-- What the operator calls an account, and wrote down about it.
CREATE TABLE account_notes (
  account_id text COLLATE "C" PRIMARY KEY REFERENCES accounts (account_id),
  nickname text COLLATE "C",
  note text COLLATE "C",
  -- The nickname as searches compare it.
  search text COLLATE "C" NOT NULL
);
CREATE INDEX accounts_by_creation ON accounts (created_at, account_id);

-- Refused requests by Taipei day. Account and key are empty where they are unknown.
CREATE TABLE refusal_days (
  account_id text COLLATE "C" NOT NULL,
  day bigint NOT NULL,
  key_id text COLLATE "C" NOT NULL,
  code text COLLATE "C" NOT NULL,
  refused bigint NOT NULL CHECK (refused > 0),
  PRIMARY KEY (account_id, day, key_id, code)
);
CREATE INDEX refusal_days_by_day ON refusal_days (day);

-- The newest refused requests of each account, without any content. The account is empty where it is unknown.
CREATE TABLE refused_requests (
  request_id text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL,
  key_id text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  endpoint text COLLATE "C" NOT NULL,
  -- Only one that the catalog has.
  model text COLLATE "C",
  status bigint NOT NULL,
  code text COLLATE "C" NOT NULL,
  -- Limits and amounts that the response named, as JSON.
  figures text COLLATE "C" NOT NULL
);
CREATE INDEX refused_requests_by_account ON refused_requests (account_id, request_id);
CREATE INDEX refused_requests_by_time ON refused_requests (at);
