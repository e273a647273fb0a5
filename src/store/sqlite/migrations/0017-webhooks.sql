-- Webhooks of accounts. A webhook has a cursor: the number of the last event that was sent, or that failed and has a row in
-- webhook_deliveries. Secrets are sealed.
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

-- The webhooks of an account by their ids, so that their number has a limit.
CREATE TABLE webhook_lists (
  account_id TEXT PRIMARY KEY REFERENCES accounts (account_id),
  -- As JSON.
  webhook_ids TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- What became of each event that was sent to a webhook. Deleted with the events.
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
CREATE INDEX webhook_deliveries_by_webhook ON webhook_deliveries (webhook_id, event_id);
CREATE INDEX webhook_deliveries_by_event ON webhook_deliveries (event_id);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (webhook_id, next_at) WHERE next_at IS NOT NULL;
