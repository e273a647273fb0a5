-- What all migrations together make of an empty database, for people to read. Generated: change a migration, not this.

CREATE TABLE account_notes (
  account_id TEXT PRIMARY KEY REFERENCES accounts (account_id),
  nickname TEXT,
  note TEXT,
  -- The nickname as searches compare it.
  search TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE accounts (
  account_id TEXT PRIMARY KEY,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX accounts_by_creation ON accounts (created_at, account_id);

CREATE TABLE alarms (
  alarm_id INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  name TEXT NOT NULL,
  fields TEXT NOT NULL
, subject TEXT NOT NULL DEFAULT '') STRICT;

CREATE TABLE audit_log (
  action_id INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  actor TEXT NOT NULL,
  action TEXT NOT NULL,
  subject TEXT NOT NULL,
  detail TEXT NOT NULL
) STRICT;

CREATE INDEX audit_log_by_action ON audit_log (action, subject);

CREATE INDEX audit_log_by_subject ON audit_log (subject);

CREATE TRIGGER audit_log_is_not_deleted BEFORE DELETE ON audit_log
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;

CREATE TRIGGER audit_log_is_not_updated BEFORE UPDATE ON audit_log
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;

CREATE TABLE billing_details (
  account_id TEXT PRIMARY KEY REFERENCES accounts (account_id),
  name TEXT,
  tax_id TEXT CHECK (length(tax_id) = 8),
  touched_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE budgets (
  key_id TEXT PRIMARY KEY,
  day INTEGER NOT NULL,
  spent_nano INTEGER NOT NULL CHECK (spent_nano >= 0),
  held_nano INTEGER NOT NULL CHECK (held_nano >= 0)
, month INTEGER NOT NULL DEFAULT 0, month_spent_nano INTEGER NOT NULL DEFAULT 0 CHECK (month_spent_nano >= 0), total_spent_nano INTEGER NOT NULL DEFAULT 0 CHECK (total_spent_nano >= 0), in_flight INTEGER NOT NULL DEFAULT 0 CHECK (in_flight >= 0), limits TEXT) STRICT, WITHOUT ROWID;

CREATE TABLE card_batches (
  batch_id TEXT PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('sold', 'promo')),
  amount_nano INTEGER NOT NULL CHECK (amount_nano > 0),
  count INTEGER NOT NULL CHECK (count > 0),
  expires_at INTEGER,
  note TEXT,
  created_at INTEGER NOT NULL,
  CHECK (kind = 'promo' OR expires_at IS NULL)
) STRICT, WITHOUT ROWID;

CREATE TABLE cards (
  hash TEXT PRIMARY KEY,
  serial TEXT NOT NULL UNIQUE,
  batch_id TEXT NOT NULL REFERENCES card_batches (batch_id),
  kind TEXT NOT NULL CHECK (kind IN ('sold', 'promo')),
  amount_nano INTEGER NOT NULL CHECK (amount_nano > 0),
  state TEXT NOT NULL CHECK (state IN ('issued', 'redeemed', 'voided')),
  expires_at INTEGER,
  redeemed_by TEXT REFERENCES accounts (account_id),
  redeemed_at INTEGER,
  CHECK ((state = 'redeemed') = (redeemed_by IS NOT NULL)),
  CHECK ((redeemed_by IS NULL) = (redeemed_at IS NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX cards_by_batch ON cards (batch_id, serial);

CREATE TABLE entries (
  -- Never deleted, so the next number is always a new one.
  entry_id INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  kind TEXT NOT NULL,
  debit TEXT NOT NULL,
  credit TEXT NOT NULL,
  amount_nano INTEGER NOT NULL CHECK (amount_nano > 0),
  account_id TEXT REFERENCES accounts (account_id),
  balance_after_nano INTEGER CHECK (balance_after_nano >= 0),
  reference TEXT NOT NULL,
  -- The operator's reason, where a person made the entry.
  note TEXT, refund_of TEXT, paid_nano INTEGER CHECK (paid_nano >= 0 AND paid_nano <= amount_nano), once TEXT,
  CHECK (debit <> credit),
  CHECK ((account_id IS NULL) = (balance_after_nano IS NULL)),
  CHECK (account_id IS NULL OR account_id IN (debit, credit)),
  UNIQUE (kind, reference)
) STRICT;

CREATE INDEX entries_by_account ON entries (account_id, entry_id);

CREATE INDEX entries_in_by_account ON entries (account_id, entry_id) WHERE kind <> 'usage';

CREATE UNIQUE INDEX entries_once ON entries (once) WHERE once IS NOT NULL;

CREATE TRIGGER entries_are_not_deleted BEFORE DELETE ON entries
BEGIN SELECT RAISE(ABORT, 'entries are append-only'); END;

CREATE TRIGGER entries_are_not_updated BEFORE UPDATE ON entries
BEGIN SELECT RAISE(ABORT, 'entries are append-only'); END;

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

CREATE TABLE holds (
  request_id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES wallets (account_id),
  key_id TEXT NOT NULL,
  node_id TEXT NOT NULL,
  amount_nano INTEGER NOT NULL CHECK (amount_nano >= 0),
  free INTEGER NOT NULL CHECK (free IN (0, 1)),
  model TEXT NOT NULL,
  endpoint TEXT NOT NULL,
  stream INTEGER NOT NULL CHECK (stream IN (0, 1)),
  revision INTEGER NOT NULL,
  opened_at INTEGER NOT NULL,
  budgeted INTEGER NOT NULL CHECK (budgeted IN (0, 1)), chain TEXT,
  CHECK (free = 0 OR amount_nano = 0)
) STRICT, WITHOUT ROWID;

CREATE TABLE incidents (
  incident_id TEXT PRIMARY KEY,
  started_at INTEGER NOT NULL,
  ended_at INTEGER CHECK (ended_at >= started_at),
  title_en TEXT NOT NULL,
  title_zh TEXT NOT NULL,
  text_en TEXT NOT NULL,
  text_zh TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE journal (
  seq INTEGER PRIMARY KEY,
  -- The last state of each changed row and the added rows, as JSON, with the columns in the order of their tables.
  changes TEXT NOT NULL
) STRICT;

CREATE TABLE keys (
  key_id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (account_id),
  hash TEXT NOT NULL UNIQUE,
  last4 TEXT NOT NULL,
  name TEXT,
  manage INTEGER NOT NULL CHECK (manage IN (0, 1)),
  models TEXT,
  daily_budget_nano INTEGER CHECK (daily_budget_nano >= 0),
  expires_at INTEGER,
  created_at INTEGER NOT NULL,
  revoked_at INTEGER,
  -- The hash before the last rotation, good until its grace ends.
  old_hash TEXT UNIQUE,
  old_hash_until INTEGER, parent_id TEXT CHECK (parent_id IS NULL OR manage = 0), depth INTEGER NOT NULL DEFAULT 0
  CHECK (depth BETWEEN 0 AND 8 AND (depth = 0) = (parent_id IS NULL)), delegate INTEGER NOT NULL DEFAULT 0 CHECK (delegate IN (0, 1)), limits TEXT NOT NULL DEFAULT '{}' CHECK (manage = 0 OR limits = '{}'),
  CHECK ((old_hash IS NULL) = (old_hash_until IS NULL)),
  CONSTRAINT restricted_keys_do_not_manage
    CHECK (manage = 0 OR (models IS NULL AND daily_budget_nano IS NULL AND expires_at IS NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX keys_by_account ON keys (account_id);

CREATE INDEX keys_by_last4 ON keys (last4);

CREATE TRIGGER keys_changed AFTER UPDATE ON keys
BEGIN UPDATE versions SET version = version + 1 WHERE name = 'keys'; END;

CREATE TABLE leases (
  node_id TEXT PRIMARY KEY,
  host TEXT NOT NULL,
  pid INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE login_names (
  name TEXT PRIMARY KEY CHECK (name = lower(name)),
  account_id TEXT NOT NULL REFERENCES accounts (account_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE logins (
  account_id TEXT PRIMARY KEY REFERENCES accounts (account_id),
  -- In lower case, which is how names are compared.
  name TEXT UNIQUE CHECK (name = lower(name)),
  password_hash TEXT,
  -- Of each session a keyed hash of its secret, the key it was opened with, and its times.
  sessions TEXT NOT NULL,
  touched_at INTEGER NOT NULL,
  CHECK ((name IS NULL) = (password_hash IS NULL))
) STRICT, WITHOUT ROWID;

CREATE TABLE loss_days (
  account_id TEXT PRIMARY KEY REFERENCES accounts (account_id),
  day INTEGER NOT NULL,
  amount_nano INTEGER NOT NULL CHECK (amount_nano >= 0),
  -- Whether a loss of this day was charged to the account, because the guard was used up.
  reached INTEGER NOT NULL CHECK (reached IN (0, 1))
) STRICT, WITHOUT ROWID;

CREATE TABLE loss_sums (
  account_id TEXT NOT NULL,
  day INTEGER NOT NULL,
  model TEXT NOT NULL,
  -- Empty where no channel is known: a primary key knows no NULL.
  channel TEXT NOT NULL,
  reason TEXT NOT NULL,
  losses INTEGER NOT NULL CHECK (losses > 0),
  amount_nano INTEGER NOT NULL CHECK (amount_nano > 0),
  PRIMARY KEY (account_id, day, model, channel, reason)
) STRICT, WITHOUT ROWID;

CREATE INDEX loss_sums_by_day ON loss_sums (day);

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

CREATE INDEX losses_by_account ON losses (account_id, day);

CREATE INDEX losses_by_day ON losses (day);

CREATE TRIGGER loss_added AFTER INSERT ON losses
BEGIN
  INSERT INTO loss_sums
  VALUES (new.account_id, new.day, new.model, coalesce(new.channel, ''), new.reason, 1, new.amount_nano)
  ON CONFLICT (account_id, day, model, channel, reason) DO UPDATE SET
    losses = losses + 1,
    amount_nano = CASE
      WHEN amount_nano > 9223372036854775807 - excluded.amount_nano THEN 9223372036854775807
      ELSE amount_nano + excluded.amount_nano
    END;
END;

CREATE TRIGGER losses_are_not_updated BEFORE UPDATE ON losses
BEGIN SELECT RAISE(ABORT, 'losses are append-only'); END;

CREATE TABLE refunded (
  refund_of TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (account_id),
  charged_nano INTEGER NOT NULL,
  refunded_nano INTEGER NOT NULL CHECK (refunded_nano > 0 AND refunded_nano <= charged_nano)
) STRICT, WITHOUT ROWID;

CREATE INDEX refunded_by_account ON refunded (account_id);

CREATE TABLE refusal_days (
  account_id TEXT NOT NULL,
  day INTEGER NOT NULL,
  key_id TEXT NOT NULL,
  code TEXT NOT NULL,
  refused INTEGER NOT NULL CHECK (refused > 0),
  PRIMARY KEY (account_id, day, key_id, code)
) STRICT, WITHOUT ROWID;

CREATE INDEX refusal_days_by_day ON refusal_days (day);

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

CREATE TABLE replays (
  replay_id TEXT PRIMARY KEY,
  body_hash TEXT NOT NULL,
  salt TEXT NOT NULL,
  result TEXT NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX replays_by_age ON replays (expires_at);

CREATE TABLE revisions (
  revision INTEGER PRIMARY KEY AUTOINCREMENT,
  document TEXT NOT NULL,
  source TEXT NOT NULL CHECK (source IN ('default', 'file', 'operator')),
  source_hash TEXT NOT NULL,
  created_at INTEGER NOT NULL
, actor TEXT, action TEXT) STRICT;

CREATE TRIGGER revision_added AFTER INSERT ON revisions
BEGIN
  INSERT INTO settings VALUES ('newest_revision', CAST(new.revision AS TEXT))
  ON CONFLICT (name) DO UPDATE SET value = excluded.value;
END;

CREATE TABLE schema_migrations (
      version INTEGER PRIMARY KEY, name TEXT NOT NULL, hash TEXT NOT NULL, oldest INTEGER
    ) STRICT;

CREATE TABLE session_budgets (
  session_id TEXT PRIMARY KEY,
  spent_nano INTEGER NOT NULL CHECK (spent_nano >= 0),
  held_nano INTEGER NOT NULL CHECK (held_nano >= 0),
  touched_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX session_budgets_by_touch ON session_budgets (touched_at);

CREATE TABLE settings (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE traffic_hours (
  traffic_id TEXT PRIMARY KEY,
  hour INTEGER NOT NULL,
  channel TEXT NOT NULL,
  model TEXT NOT NULL,
  ok INTEGER NOT NULL CHECK (ok >= 0),
  failed INTEGER NOT NULL CHECK (failed >= 0),
  first_token TEXT NOT NULL,
  total TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX traffic_by_hour ON traffic_hours (hour);

CREATE TABLE usage_days (
  account_id TEXT NOT NULL,
  day INTEGER NOT NULL,
  key_id TEXT NOT NULL,
  model TEXT NOT NULL,
  -- Empty where no channel served: a primary key knows no NULL.
  channel TEXT NOT NULL,
  status TEXT NOT NULL,
  requests INTEGER NOT NULL CHECK (requests > 0),
  input_tokens INTEGER NOT NULL CHECK (input_tokens >= 0),
  cached_input_tokens INTEGER NOT NULL CHECK (cached_input_tokens >= 0),
  cache_write_5m_tokens INTEGER NOT NULL CHECK (cache_write_5m_tokens >= 0),
  cache_write_1h_tokens INTEGER NOT NULL CHECK (cache_write_1h_tokens >= 0),
  output_tokens INTEGER NOT NULL CHECK (output_tokens >= 0),
  reasoning_tokens INTEGER NOT NULL CHECK (reasoning_tokens >= 0),
  images INTEGER NOT NULL CHECK (images >= 0),
  cost_nano INTEGER NOT NULL CHECK (cost_nano >= 0), upstream_nano INTEGER NOT NULL DEFAULT 0 CHECK (upstream_nano >= 0), known_requests INTEGER NOT NULL DEFAULT 0 CHECK (known_requests >= 0), known_revenue_nano INTEGER NOT NULL DEFAULT 0 CHECK (known_revenue_nano >= 0), seconds INTEGER NOT NULL DEFAULT 0 CHECK (seconds >= 0), characters INTEGER NOT NULL DEFAULT 0 CHECK (characters >= 0), searches INTEGER NOT NULL DEFAULT 0 CHECK (searches >= 0),
  PRIMARY KEY (account_id, day, key_id, model, channel, status)
) STRICT, WITHOUT ROWID;

CREATE INDEX usage_days_by_day ON usage_days (day);

CREATE TABLE usage_records (
  request_id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL,
  key_id TEXT NOT NULL,
  at INTEGER NOT NULL,
  model TEXT NOT NULL,
  channel TEXT,
  endpoint TEXT NOT NULL,
  status TEXT NOT NULL,
  stream INTEGER NOT NULL CHECK (stream IN (0, 1)),
  input_tokens INTEGER NOT NULL CHECK (input_tokens >= 0),
  cached_input_tokens INTEGER NOT NULL CHECK (cached_input_tokens >= 0),
  cache_write_5m_tokens INTEGER NOT NULL CHECK (cache_write_5m_tokens >= 0),
  cache_write_1h_tokens INTEGER NOT NULL CHECK (cache_write_1h_tokens >= 0),
  output_tokens INTEGER NOT NULL CHECK (output_tokens >= 0),
  reasoning_tokens INTEGER NOT NULL CHECK (reasoning_tokens >= 0),
  images INTEGER NOT NULL CHECK (images >= 0),
  first_token_ms INTEGER,
  total_ms INTEGER NOT NULL,
  held_nano INTEGER NOT NULL CHECK (held_nano >= 0),
  cost_nano INTEGER NOT NULL CHECK (cost_nano >= 0),
  balance_after_nano INTEGER NOT NULL CHECK (balance_after_nano >= 0),
  estimated INTEGER NOT NULL CHECK (estimated IN (0, 1)),
  revision INTEGER NOT NULL,
  attempts TEXT NOT NULL, rule TEXT, service_tier TEXT, tool_calls TEXT, priced_at INTEGER, upstream_nano INTEGER CHECK (upstream_nano >= 0), seconds INTEGER NOT NULL DEFAULT 0 CHECK (seconds >= 0), characters INTEGER NOT NULL DEFAULT 0 CHECK (characters >= 0), searches INTEGER NOT NULL DEFAULT 0 CHECK (searches >= 0),
  CHECK (cost_nano <= held_nano)
) STRICT, WITHOUT ROWID;

CREATE INDEX usage_by_account ON usage_records (account_id, at, request_id, model, channel, key_id, status);

CREATE TABLE versions (
  name TEXT PRIMARY KEY,
  version INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE wallets (
  account_id TEXT PRIMARY KEY REFERENCES accounts (account_id),
  balance_nano INTEGER NOT NULL CHECK (balance_nano >= 0),
  held_nano INTEGER NOT NULL CHECK (held_nano >= 0),
  in_flight INTEGER NOT NULL CHECK (in_flight >= 0),
  free_in_flight INTEGER NOT NULL CHECK (free_in_flight >= 0),
  -- Set by the audit on a wallet that does not agree with its entries: nothing is admitted on it any more.
  frozen INTEGER NOT NULL CHECK (frozen IN (0, 1)),
  touched_at INTEGER NOT NULL, balance_low_nano INTEGER NOT NULL DEFAULT 5000000000 CHECK (balance_low_nano >= 0), paid_nano INTEGER NOT NULL DEFAULT 0
  CHECK (paid_nano >= 0 AND paid_nano <= balance_nano), paid_spent_nano INTEGER NOT NULL DEFAULT 0 CHECK (paid_spent_nano >= 0),
  CONSTRAINT available_not_negative CHECK (balance_nano >= held_nano)
) STRICT, WITHOUT ROWID;

CREATE TABLE webhook_deliveries (
  -- The webhook, a colon and the event.
  delivery_id TEXT PRIMARY KEY,
  webhook_id TEXT NOT NULL,
  event_id INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('delivered', 'pending', 'failed')),
  attempts INTEGER NOT NULL,
  status INTEGER,
  detail TEXT,
  last_at INTEGER NOT NULL,
  next_at INTEGER,
  CHECK ((state = 'pending') = (next_at IS NOT NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX webhook_deliveries_by_event ON webhook_deliveries (event_id);

CREATE INDEX webhook_deliveries_by_webhook ON webhook_deliveries (webhook_id, event_id);

CREATE INDEX webhook_deliveries_due ON webhook_deliveries (webhook_id, next_at) WHERE next_at IS NOT NULL;

CREATE TABLE webhook_lists (
  account_id TEXT PRIMARY KEY REFERENCES accounts (account_id),
  -- As JSON.
  webhook_ids TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE webhooks (
  webhook_id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (account_id),
  url TEXT NOT NULL,
  -- As JSON; NULL: every type.
  types TEXT,
  enabled INTEGER NOT NULL CHECK (enabled IN (0, 1)),
  disabled_for TEXT CHECK (disabled_for IN ('gone', 'failing')),
  secret TEXT NOT NULL,
  old_secret TEXT,
  old_secret_until INTEGER,
  cursor_event_id INTEGER NOT NULL,
  -- How often the cursor was set back.
  replays INTEGER NOT NULL,
  -- When it is to be looked at again; NULL: with the next event.
  due_at INTEGER,
  -- The receiver is down: new events wait until then, too.
  paused_until INTEGER,
  failing_since INTEGER,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX webhooks_by_account ON webhooks (account_id);

CREATE INDEX webhooks_due ON webhooks (due_at) WHERE due_at IS NOT NULL;

CREATE TABLE windows (
  window_id TEXT PRIMARY KEY,
  slots TEXT NOT NULL,
  day INTEGER NOT NULL,
  day_count INTEGER NOT NULL CHECK (day_count >= 0),
  touched_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
