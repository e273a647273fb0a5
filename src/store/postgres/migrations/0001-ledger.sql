-- Ids compare by their bytes, as in the embedded database: faster than a language's order, and the same on every server.
CREATE TABLE revisions (
  revision bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  document text NOT NULL,
  source text NOT NULL CHECK (source IN ('default', 'file', 'operator')),
  source_hash text NOT NULL,
  created_at bigint NOT NULL
);

CREATE TABLE accounts (
  account_id text COLLATE "C" PRIMARY KEY,
  created_at bigint NOT NULL
);

CREATE TABLE wallets (
  account_id text COLLATE "C" PRIMARY KEY REFERENCES accounts (account_id),
  balance_nano bigint NOT NULL CHECK (balance_nano >= 0),
  held_nano bigint NOT NULL CHECK (held_nano >= 0),
  in_flight bigint NOT NULL CHECK (in_flight >= 0),
  free_in_flight bigint NOT NULL CHECK (free_in_flight >= 0),
  -- Set by the audit on a wallet that does not agree with its entries: nothing is admitted on it any more.
  frozen boolean NOT NULL,
  touched_at bigint NOT NULL,
  CONSTRAINT available_not_negative CHECK (balance_nano >= held_nano)
) WITH (fillfactor = 60);
-- Wallets change all the time: with room on the page, and an index of this kind, a change touches no index.
CREATE INDEX wallets_by_touch ON wallets USING brin (touched_at) WITH (autosummarize = on);

CREATE TABLE keys (
  key_id text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL REFERENCES accounts (account_id),
  hash text COLLATE "C" NOT NULL UNIQUE,
  last4 text NOT NULL,
  name text,
  manage boolean NOT NULL,
  models text,
  daily_budget_nano bigint CHECK (daily_budget_nano >= 0),
  expires_at bigint,
  created_at bigint NOT NULL,
  revoked_at bigint,
  -- The hash before the last rotation, good until its grace ends.
  old_hash text COLLATE "C" UNIQUE,
  old_hash_until bigint,
  CHECK ((old_hash IS NULL) = (old_hash_until IS NULL)),
  CONSTRAINT restricted_keys_do_not_manage
    CHECK (NOT manage OR (models IS NULL AND daily_budget_nano IS NULL AND expires_at IS NULL))
);
CREATE INDEX keys_by_account ON keys (account_id);

-- One line moves one amount between two accounts, so it sums to zero by its form.
CREATE TABLE entries (
  entry_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at bigint NOT NULL,
  kind text COLLATE "C" NOT NULL,
  debit text COLLATE "C" NOT NULL,
  credit text COLLATE "C" NOT NULL,
  amount_nano bigint NOT NULL CHECK (amount_nano > 0),
  account_id text COLLATE "C" REFERENCES accounts (account_id),
  balance_after_nano bigint CHECK (balance_after_nano >= 0),
  reference text COLLATE "C" NOT NULL,
  -- The operator's reason, where a person made the entry.
  note text,
  CHECK (debit <> credit),
  CHECK ((account_id IS NULL) = (balance_after_nano IS NULL)),
  CHECK (account_id IS NULL OR account_id IN (debit, credit)),
  UNIQUE (kind, reference)
);
CREATE INDEX entries_by_account ON entries (account_id, entry_id);
CREATE FUNCTION refuse_to_change_entries() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'entries are append-only' USING ERRCODE = 'integrity_constraint_violation';
END $$;
CREATE TRIGGER entries_are_not_changed BEFORE UPDATE OR DELETE OR TRUNCATE ON entries
FOR EACH STATEMENT EXECUTE FUNCTION refuse_to_change_entries();

-- Admitted requests that are still running; closing one turns it into its usage record. There are never many, and every
-- request writes here twice: so they are found by their id alone.
CREATE TABLE holds (
  request_id text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL REFERENCES wallets (account_id),
  key_id text COLLATE "C" NOT NULL,
  node_id text COLLATE "C" NOT NULL,
  amount_nano bigint NOT NULL CHECK (amount_nano >= 0),
  free boolean NOT NULL,
  model text NOT NULL,
  endpoint text NOT NULL,
  stream boolean NOT NULL,
  revision bigint NOT NULL,
  opened_at bigint NOT NULL,
  budgeted boolean NOT NULL,
  CHECK (NOT free OR amount_nano = 0)
);
CREATE TABLE usage_records (
  request_id text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL,
  key_id text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  model text NOT NULL,
  channel text,
  endpoint text NOT NULL,
  status text NOT NULL,
  stream boolean NOT NULL,
  input_tokens bigint NOT NULL CHECK (input_tokens >= 0),
  cached_input_tokens bigint NOT NULL CHECK (cached_input_tokens >= 0),
  cache_write_5m_tokens bigint NOT NULL CHECK (cache_write_5m_tokens >= 0),
  cache_write_1h_tokens bigint NOT NULL CHECK (cache_write_1h_tokens >= 0),
  output_tokens bigint NOT NULL CHECK (output_tokens >= 0),
  reasoning_tokens bigint NOT NULL CHECK (reasoning_tokens >= 0),
  images bigint NOT NULL CHECK (images >= 0),
  first_token_ms bigint,
  total_ms bigint NOT NULL,
  held_nano bigint NOT NULL CHECK (held_nano >= 0),
  cost_nano bigint NOT NULL CHECK (cost_nano >= 0),
  balance_after_nano bigint NOT NULL CHECK (balance_after_nano >= 0),
  estimated boolean NOT NULL,
  revision bigint NOT NULL,
  attempts text NOT NULL,
  CHECK (cost_nano <= held_nano)
);
CREATE INDEX usage_by_account ON usage_records (account_id, at DESC, request_id DESC);

-- Slots of limits; subjects that are addresses appear only as keyed hashes.
CREATE TABLE windows (
  window_id text COLLATE "C" PRIMARY KEY,
  slots text NOT NULL,
  day bigint NOT NULL,
  day_count bigint NOT NULL CHECK (day_count >= 0),
  touched_at bigint NOT NULL
) WITH (fillfactor = 60);

-- What a key with a daily budget has spent in one Taipei day, and holds now.
CREATE TABLE budgets (
  key_id text COLLATE "C" PRIMARY KEY,
  day bigint NOT NULL,
  spent_nano bigint NOT NULL CHECK (spent_nano >= 0),
  held_nano bigint NOT NULL CHECK (held_nano >= 0)
);

CREATE TABLE card_batches (
  batch_id text COLLATE "C" PRIMARY KEY,
  kind text NOT NULL CHECK (kind IN ('sold', 'promo')),
  amount_nano bigint NOT NULL CHECK (amount_nano > 0),
  count bigint NOT NULL CHECK (count > 0),
  expires_at bigint,
  note text,
  created_at bigint NOT NULL,
  CHECK (kind = 'promo' OR expires_at IS NULL)
);

-- Codes exist only as HMACs; the serial is what people and records name a card by.
CREATE TABLE cards (
  hash text COLLATE "C" PRIMARY KEY,
  serial text COLLATE "C" NOT NULL UNIQUE,
  batch_id text COLLATE "C" NOT NULL REFERENCES card_batches (batch_id),
  kind text NOT NULL CHECK (kind IN ('sold', 'promo')),
  amount_nano bigint NOT NULL CHECK (amount_nano > 0),
  state text NOT NULL CHECK (state IN ('issued', 'redeemed', 'voided')),
  expires_at bigint,
  redeemed_by text COLLATE "C" REFERENCES accounts (account_id),
  redeemed_at bigint,
  CHECK ((state = 'redeemed') = (redeemed_by IS NOT NULL)),
  CHECK ((redeemed_by IS NULL) = (redeemed_at IS NULL))
);
CREATE INDEX cards_by_batch ON cards (batch_id, serial);

-- Answers to calls with an Idempotency-Key. No secret is in them: what must be repeated is derived again from the salt.
CREATE TABLE replays (
  replay_id text COLLATE "C" PRIMARY KEY,
  body_hash text NOT NULL,
  salt text NOT NULL,
  result text NOT NULL,
  expires_at bigint NOT NULL
);
CREATE INDEX replays_by_age ON replays (expires_at);

CREATE TABLE leases (
  node_id text COLLATE "C" PRIMARY KEY,
  host text NOT NULL,
  pid bigint NOT NULL,
  expires_at bigint NOT NULL
);

CREATE TABLE alarms (
  alarm_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at bigint NOT NULL,
  name text NOT NULL,
  fields text NOT NULL
);

-- One row for each connection that commits batches, with the number of its last one. It is locked and counted up before
-- a batch reads anything: so whoever locks it next knows that the batch before has ended, and whether it was committed.
CREATE TABLE writers (
  writer_id text COLLATE "C" PRIMARY KEY,
  batch bigint NOT NULL,
  touched_at bigint NOT NULL
);

-- Counters that tell other processes that something they keep in memory has changed.
CREATE TABLE versions (
  name text COLLATE "C" PRIMARY KEY,
  version bigint NOT NULL
);
INSERT INTO versions VALUES ('keys', 0);
CREATE FUNCTION count_changed_keys() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE versions SET version = version + 1 WHERE name = 'keys';
  RETURN NULL;
END $$;
CREATE TRIGGER keys_changed AFTER UPDATE ON keys
FOR EACH STATEMENT EXECUTE FUNCTION count_changed_keys();
