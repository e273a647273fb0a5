-- Webhooks of accounts. A webhook has a cursor: the number of the last event that was sent, or that failed and has a row in
-- webhook_deliveries. Secrets are sealed.
CREATE TABLE webhooks (
  webhook_id text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL REFERENCES accounts (account_id),
  url text NOT NULL,
  -- As JSON; NULL: every type.
  types text,
  enabled boolean NOT NULL,
  disabled_for text CHECK (disabled_for IN ('gone', 'failing')),
  secret text NOT NULL,
  old_secret text,
  old_secret_until bigint,
  cursor_event_id bigint NOT NULL,
  -- How often the cursor was set back.
  replays bigint NOT NULL,
  -- When it is to be looked at again; NULL: with the next event.
  due_at bigint,
  -- The receiver is down: new events wait until then, too.
  paused_until bigint,
  failing_since bigint,
  created_at bigint NOT NULL
);
CREATE INDEX webhooks_by_account ON webhooks (account_id);
CREATE INDEX webhooks_due ON webhooks (due_at) WHERE due_at IS NOT NULL;

-- The webhooks of an account by their ids, so that their number has a limit.
CREATE TABLE webhook_lists (
  account_id text COLLATE "C" PRIMARY KEY REFERENCES accounts (account_id),
  -- As JSON.
  webhook_ids text NOT NULL
);

-- What became of each event that was sent to a webhook. Deleted with the events.
CREATE TABLE webhook_deliveries (
  -- The webhook, a colon and the event.
  delivery_id text COLLATE "C" PRIMARY KEY,
  webhook_id text COLLATE "C" NOT NULL,
  event_id bigint NOT NULL,
  state text NOT NULL CHECK (state IN ('delivered', 'pending', 'failed')),
  attempts bigint NOT NULL,
  status bigint,
  detail text,
  last_at bigint NOT NULL,
  next_at bigint,
  CHECK ((state = 'pending') = (next_at IS NOT NULL))
);
CREATE INDEX webhook_deliveries_by_webhook ON webhook_deliveries (webhook_id, event_id);
CREATE INDEX webhook_deliveries_by_event ON webhook_deliveries (event_id);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (webhook_id, next_at) WHERE next_at IS NOT NULL;
