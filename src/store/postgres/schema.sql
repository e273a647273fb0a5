-- What all migrations together make of an empty database, for people to read. Generated: change a migration, not this.

CREATE TABLE account_notes (
  account_id text COLLATE "C" NOT NULL,
  nickname text COLLATE "C",
  note text COLLATE "C",
  search text COLLATE "C" NOT NULL,
  CONSTRAINT account_notes_pkey PRIMARY KEY (account_id),
  CONSTRAINT account_notes_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(account_id)
);

CREATE TABLE accounts (
  account_id text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  CONSTRAINT accounts_pkey PRIMARY KEY (account_id)
);

CREATE INDEX accounts_by_creation ON public.accounts USING btree (created_at, account_id);

CREATE TABLE alarms (
  alarm_id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  at bigint NOT NULL,
  name text NOT NULL,
  fields text NOT NULL,
  subject text COLLATE "C" NOT NULL DEFAULT ''::text,
  CONSTRAINT alarms_pkey PRIMARY KEY (alarm_id)
);

CREATE TABLE audit_log (
  action_id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  at bigint NOT NULL,
  actor text NOT NULL,
  action text COLLATE "C" NOT NULL,
  subject text COLLATE "C" NOT NULL,
  detail text NOT NULL,
  CONSTRAINT audit_log_pkey PRIMARY KEY (action_id)
);

CREATE INDEX audit_log_by_action ON public.audit_log USING btree (action, subject);

CREATE INDEX audit_log_by_subject ON public.audit_log USING btree (subject);

CREATE TRIGGER audit_log_is_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.audit_log FOR EACH STATEMENT EXECUTE FUNCTION refuse_to_change_audit_log();

CREATE TABLE billing_details (
  account_id text COLLATE "C" NOT NULL,
  name text,
  tax_id text,
  touched_at bigint NOT NULL,
  CONSTRAINT billing_details_pkey PRIMARY KEY (account_id),
  CONSTRAINT billing_details_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(account_id),
  CONSTRAINT billing_details_tax_id_check CHECK ((length(tax_id) = 8))
);

CREATE TABLE budgets (
  key_id text COLLATE "C" NOT NULL,
  day bigint NOT NULL,
  spent_nano bigint NOT NULL,
  held_nano bigint NOT NULL,
  month bigint NOT NULL DEFAULT 0,
  month_spent_nano bigint NOT NULL DEFAULT 0,
  total_spent_nano bigint NOT NULL DEFAULT 0,
  in_flight bigint NOT NULL DEFAULT 0,
  limits text,
  CONSTRAINT budgets_pkey PRIMARY KEY (key_id),
  CONSTRAINT budgets_held_nano_check CHECK ((held_nano >= 0)),
  CONSTRAINT budgets_in_flight_check CHECK ((in_flight >= 0)),
  CONSTRAINT budgets_month_spent_nano_check CHECK ((month_spent_nano >= 0)),
  CONSTRAINT budgets_spent_nano_check CHECK ((spent_nano >= 0)),
  CONSTRAINT budgets_total_spent_nano_check CHECK ((total_spent_nano >= 0))
) WITH (fillfactor=60);

CREATE TABLE card_batches (
  batch_id text COLLATE "C" NOT NULL,
  kind text NOT NULL,
  amount_nano bigint NOT NULL,
  count bigint NOT NULL,
  expires_at bigint,
  note text,
  created_at bigint NOT NULL,
  CONSTRAINT card_batches_pkey PRIMARY KEY (batch_id),
  CONSTRAINT card_batches_amount_nano_check CHECK ((amount_nano > 0)),
  CONSTRAINT card_batches_check CHECK (((kind = 'promo'::text) OR (expires_at IS NULL))),
  CONSTRAINT card_batches_count_check CHECK ((count > 0)),
  CONSTRAINT card_batches_kind_check CHECK ((kind = ANY (ARRAY['sold'::text, 'promo'::text])))
);

CREATE TABLE cards (
  hash text COLLATE "C" NOT NULL,
  serial text COLLATE "C" NOT NULL,
  batch_id text COLLATE "C" NOT NULL,
  kind text NOT NULL,
  amount_nano bigint NOT NULL,
  state text NOT NULL,
  expires_at bigint,
  redeemed_by text COLLATE "C",
  redeemed_at bigint,
  CONSTRAINT cards_pkey PRIMARY KEY (hash),
  CONSTRAINT cards_amount_nano_check CHECK ((amount_nano > 0)),
  CONSTRAINT cards_batch_id_fkey FOREIGN KEY (batch_id) REFERENCES card_batches(batch_id),
  CONSTRAINT cards_check CHECK (((state = 'redeemed'::text) = (redeemed_by IS NOT NULL))),
  CONSTRAINT cards_check1 CHECK (((redeemed_by IS NULL) = (redeemed_at IS NULL))),
  CONSTRAINT cards_kind_check CHECK ((kind = ANY (ARRAY['sold'::text, 'promo'::text]))),
  CONSTRAINT cards_redeemed_by_fkey FOREIGN KEY (redeemed_by) REFERENCES accounts(account_id),
  CONSTRAINT cards_serial_key UNIQUE (serial),
  CONSTRAINT cards_state_check CHECK ((state = ANY (ARRAY['issued'::text, 'redeemed'::text, 'voided'::text])))
);

CREATE INDEX cards_by_batch ON public.cards USING btree (batch_id, serial);

CREATE TABLE entries (
  entry_id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  at bigint NOT NULL,
  kind text COLLATE "C" NOT NULL,
  debit text COLLATE "C" NOT NULL,
  credit text COLLATE "C" NOT NULL,
  amount_nano bigint NOT NULL,
  account_id text COLLATE "C",
  balance_after_nano bigint,
  reference text COLLATE "C" NOT NULL,
  note text,
  refund_of text COLLATE "C",
  paid_nano bigint,
  once text COLLATE "C",
  CONSTRAINT entries_pkey PRIMARY KEY (entry_id),
  CONSTRAINT entries_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(account_id),
  CONSTRAINT entries_amount_nano_check CHECK ((amount_nano > 0)),
  CONSTRAINT entries_balance_after_nano_check CHECK ((balance_after_nano >= 0)),
  CONSTRAINT entries_check CHECK ((debit <> credit)),
  CONSTRAINT entries_check1 CHECK (((account_id IS NULL) = (balance_after_nano IS NULL))),
  CONSTRAINT entries_check2 CHECK (((account_id IS NULL) OR ((account_id = debit) OR (account_id = credit)))),
  CONSTRAINT entries_check3 CHECK (((paid_nano >= 0) AND (paid_nano <= amount_nano))),
  CONSTRAINT entries_kind_reference_key UNIQUE (kind, reference)
);

CREATE INDEX entries_by_account ON public.entries USING btree (account_id, entry_id);

CREATE INDEX entries_in_by_account ON public.entries USING btree (account_id, entry_id) WHERE (kind <> 'usage'::text);

CREATE UNIQUE INDEX entries_once ON public.entries USING btree (once) WHERE (once IS NOT NULL);

CREATE TRIGGER entries_are_not_changed BEFORE DELETE OR UPDATE OR TRUNCATE ON public.entries FOR EACH STATEMENT EXECUTE FUNCTION refuse_to_change_entries();

CREATE TABLE events (
  event_id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  account_id text COLLATE "C",
  type text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  data text NOT NULL,
  CONSTRAINT events_pkey PRIMARY KEY (event_id),
  CONSTRAINT events_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(account_id)
);

CREATE INDEX events_by_account ON public.events USING btree (account_id, event_id);

CREATE INDEX events_by_time ON public.events USING btree (at);

CREATE TRIGGER events_are_not_updated BEFORE UPDATE ON public.events FOR EACH STATEMENT EXECUTE FUNCTION refuse_to_update_events();

CREATE TABLE holds (
  request_id text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  key_id text COLLATE "C" NOT NULL,
  node_id text COLLATE "C" NOT NULL,
  amount_nano bigint NOT NULL,
  free boolean NOT NULL,
  model text NOT NULL,
  endpoint text NOT NULL,
  stream boolean NOT NULL,
  revision bigint NOT NULL,
  opened_at bigint NOT NULL,
  budgeted boolean NOT NULL,
  chain text,
  CONSTRAINT holds_pkey PRIMARY KEY (request_id),
  CONSTRAINT holds_account_id_fkey FOREIGN KEY (account_id) REFERENCES wallets(account_id),
  CONSTRAINT holds_amount_nano_check CHECK ((amount_nano >= 0)),
  CONSTRAINT holds_check CHECK (((NOT free) OR (amount_nano = 0)))
);

CREATE TABLE incidents (
  incident_id text COLLATE "C" NOT NULL,
  started_at bigint NOT NULL,
  ended_at bigint,
  title_en text NOT NULL,
  title_zh text NOT NULL,
  text_en text NOT NULL,
  text_zh text NOT NULL,
  created_at bigint NOT NULL,
  CONSTRAINT incidents_pkey PRIMARY KEY (incident_id),
  CONSTRAINT incidents_check CHECK ((ended_at >= started_at))
);

CREATE TABLE keys (
  key_id text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  hash text COLLATE "C" NOT NULL,
  last4 text NOT NULL,
  name text,
  manage boolean NOT NULL,
  models text,
  daily_budget_nano bigint,
  expires_at bigint,
  created_at bigint NOT NULL,
  revoked_at bigint,
  old_hash text COLLATE "C",
  old_hash_until bigint,
  parent_id text COLLATE "C",
  depth bigint NOT NULL DEFAULT 0,
  delegate boolean NOT NULL DEFAULT false,
  limits text NOT NULL DEFAULT '{}'::text,
  CONSTRAINT keys_pkey PRIMARY KEY (key_id),
  CONSTRAINT keys_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(account_id),
  CONSTRAINT keys_check CHECK (((old_hash IS NULL) = (old_hash_until IS NULL))),
  CONSTRAINT keys_daily_budget_nano_check CHECK ((daily_budget_nano >= 0)),
  CONSTRAINT keys_depth_check CHECK ((((depth >= 0) AND (depth <= 8)) AND ((depth = 0) = (parent_id IS NULL)))),
  CONSTRAINT keys_hash_key UNIQUE (hash),
  CONSTRAINT keys_old_hash_key UNIQUE (old_hash),
  CONSTRAINT limited_keys_do_not_manage CHECK (((NOT manage) OR ((parent_id IS NULL) AND (limits = '{}'::text)))),
  CONSTRAINT restricted_keys_do_not_manage CHECK (((NOT manage) OR ((models IS NULL) AND (daily_budget_nano IS NULL) AND (expires_at IS NULL))))
);

CREATE INDEX keys_by_account ON public.keys USING btree (account_id);

CREATE INDEX keys_by_last4 ON public.keys USING btree (last4);

CREATE TRIGGER keys_changed AFTER UPDATE ON public.keys FOR EACH STATEMENT EXECUTE FUNCTION count_changed_keys();

CREATE TABLE leases (
  node_id text COLLATE "C" NOT NULL,
  host text NOT NULL,
  pid bigint NOT NULL,
  expires_at bigint NOT NULL,
  CONSTRAINT leases_pkey PRIMARY KEY (node_id)
);

CREATE TABLE login_names (
  name text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  CONSTRAINT login_names_pkey PRIMARY KEY (name),
  CONSTRAINT login_names_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(account_id),
  CONSTRAINT login_names_name_check CHECK ((name = lower(name)))
);

CREATE TABLE logins (
  account_id text COLLATE "C" NOT NULL,
  name text COLLATE "C",
  password_hash text,
  sessions text NOT NULL,
  touched_at bigint NOT NULL,
  CONSTRAINT logins_pkey PRIMARY KEY (account_id),
  CONSTRAINT logins_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(account_id),
  CONSTRAINT logins_check CHECK (((name IS NULL) = (password_hash IS NULL))),
  CONSTRAINT logins_name_check CHECK ((name = lower(name))),
  CONSTRAINT logins_name_key UNIQUE (name)
);

CREATE TABLE loss_days (
  account_id text COLLATE "C" NOT NULL,
  day bigint NOT NULL,
  amount_nano bigint NOT NULL,
  reached boolean NOT NULL,
  CONSTRAINT loss_days_pkey PRIMARY KEY (account_id),
  CONSTRAINT loss_days_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(account_id),
  CONSTRAINT loss_days_amount_nano_check CHECK ((amount_nano >= 0))
);

CREATE TABLE loss_sums (
  account_id text COLLATE "C" NOT NULL,
  day bigint NOT NULL,
  model text COLLATE "C" NOT NULL,
  channel text COLLATE "C" NOT NULL,
  reason text COLLATE "C" NOT NULL,
  losses bigint NOT NULL,
  amount_nano bigint NOT NULL,
  CONSTRAINT loss_sums_pkey PRIMARY KEY (account_id, day, model, channel, reason),
  CONSTRAINT loss_sums_amount_nano_check CHECK ((amount_nano > 0)),
  CONSTRAINT loss_sums_losses_check CHECK ((losses > 0))
);

CREATE INDEX loss_sums_by_day ON public.loss_sums USING btree (day);

CREATE TABLE losses (
  loss_id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  request_id text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  day bigint NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  model text COLLATE "C" NOT NULL,
  channel text COLLATE "C",
  reason text COLLATE "C" NOT NULL,
  amount_nano bigint NOT NULL,
  CONSTRAINT losses_pkey PRIMARY KEY (loss_id),
  CONSTRAINT losses_amount_nano_check CHECK ((amount_nano > 0))
);

CREATE INDEX losses_by_account ON public.losses USING btree (account_id, day);

CREATE INDEX losses_by_day ON public.losses USING btree (day);

CREATE TRIGGER losses_added AFTER INSERT ON public.losses REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION add_losses_to_sums();

CREATE TRIGGER losses_are_not_updated BEFORE UPDATE ON public.losses FOR EACH STATEMENT EXECUTE FUNCTION refuse_to_update_losses();

CREATE TABLE refunded (
  refund_of text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  charged_nano bigint NOT NULL,
  refunded_nano bigint NOT NULL,
  CONSTRAINT refunded_pkey PRIMARY KEY (refund_of),
  CONSTRAINT refunded_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(account_id),
  CONSTRAINT refunded_check CHECK (((refunded_nano > 0) AND (refunded_nano <= charged_nano)))
);

CREATE INDEX refunded_by_account ON public.refunded USING btree (account_id);

CREATE TABLE refusal_days (
  account_id text COLLATE "C" NOT NULL,
  day bigint NOT NULL,
  key_id text COLLATE "C" NOT NULL,
  code text COLLATE "C" NOT NULL,
  refused bigint NOT NULL,
  CONSTRAINT refusal_days_pkey PRIMARY KEY (account_id, day, key_id, code),
  CONSTRAINT refusal_days_refused_check CHECK ((refused > 0))
);

CREATE INDEX refusal_days_by_day ON public.refusal_days USING btree (day);

CREATE TABLE refused_requests (
  request_id text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  key_id text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  endpoint text COLLATE "C" NOT NULL,
  model text COLLATE "C",
  status bigint NOT NULL,
  code text COLLATE "C" NOT NULL,
  figures text COLLATE "C" NOT NULL,
  CONSTRAINT refused_requests_pkey PRIMARY KEY (request_id)
);

CREATE INDEX refused_requests_by_account ON public.refused_requests USING btree (account_id, request_id);

CREATE INDEX refused_requests_by_time ON public.refused_requests USING btree (at);

CREATE TABLE replays (
  replay_id text COLLATE "C" NOT NULL,
  body_hash text NOT NULL,
  salt text NOT NULL,
  result text NOT NULL,
  expires_at bigint NOT NULL,
  CONSTRAINT replays_pkey PRIMARY KEY (replay_id)
);

CREATE INDEX replays_by_age ON public.replays USING btree (expires_at);

CREATE TABLE revisions (
  revision bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  document text NOT NULL,
  source text NOT NULL,
  source_hash text NOT NULL,
  created_at bigint NOT NULL,
  actor text,
  action text,
  CONSTRAINT revisions_pkey PRIMARY KEY (revision),
  CONSTRAINT revisions_source_check CHECK ((source = ANY (ARRAY['default'::text, 'file'::text, 'operator'::text])))
);

CREATE TRIGGER revision_added AFTER INSERT ON public.revisions FOR EACH ROW EXECUTE FUNCTION note_newest_revision();

CREATE TABLE schema_migrations (
  version bigint NOT NULL,
  name text NOT NULL,
  hash text NOT NULL,
  oldest bigint,
  CONSTRAINT schema_migrations_pkey PRIMARY KEY (version)
);

CREATE TABLE session_budgets (
  session_id text COLLATE "C" NOT NULL,
  spent_nano bigint NOT NULL,
  held_nano bigint NOT NULL,
  touched_at bigint NOT NULL,
  CONSTRAINT session_budgets_pkey PRIMARY KEY (session_id),
  CONSTRAINT session_budgets_held_nano_check CHECK ((held_nano >= 0)),
  CONSTRAINT session_budgets_spent_nano_check CHECK ((spent_nano >= 0))
);

CREATE INDEX session_budgets_by_touch ON public.session_budgets USING btree (touched_at);

CREATE TABLE settings (
  name text NOT NULL,
  value text NOT NULL,
  CONSTRAINT settings_pkey PRIMARY KEY (name)
);

CREATE TABLE traffic_hours (
  traffic_id text NOT NULL,
  hour bigint NOT NULL,
  channel text NOT NULL,
  model text NOT NULL,
  ok bigint NOT NULL,
  failed bigint NOT NULL,
  first_token text NOT NULL,
  total text NOT NULL,
  CONSTRAINT traffic_hours_pkey PRIMARY KEY (traffic_id),
  CONSTRAINT traffic_hours_failed_check CHECK ((failed >= 0)),
  CONSTRAINT traffic_hours_ok_check CHECK ((ok >= 0))
);

CREATE INDEX traffic_by_hour ON public.traffic_hours USING btree (hour);

CREATE TABLE usage_days (
  account_id text COLLATE "C" NOT NULL,
  day bigint NOT NULL,
  key_id text COLLATE "C" NOT NULL,
  model text COLLATE "C" NOT NULL,
  channel text COLLATE "C" NOT NULL,
  status text COLLATE "C" NOT NULL,
  requests bigint NOT NULL,
  input_tokens bigint NOT NULL,
  cached_input_tokens bigint NOT NULL,
  cache_write_5m_tokens bigint NOT NULL,
  cache_write_1h_tokens bigint NOT NULL,
  output_tokens bigint NOT NULL,
  reasoning_tokens bigint NOT NULL,
  images bigint NOT NULL,
  cost_nano bigint NOT NULL,
  upstream_nano bigint NOT NULL DEFAULT 0,
  known_requests bigint NOT NULL DEFAULT 0,
  known_revenue_nano bigint NOT NULL DEFAULT 0,
  seconds bigint NOT NULL DEFAULT 0,
  characters bigint NOT NULL DEFAULT 0,
  searches bigint NOT NULL DEFAULT 0,
  CONSTRAINT usage_days_pkey PRIMARY KEY (account_id, day, key_id, model, channel, status),
  CONSTRAINT usage_days_cache_write_1h_tokens_check CHECK ((cache_write_1h_tokens >= 0)),
  CONSTRAINT usage_days_cache_write_5m_tokens_check CHECK ((cache_write_5m_tokens >= 0)),
  CONSTRAINT usage_days_cached_input_tokens_check CHECK ((cached_input_tokens >= 0)),
  CONSTRAINT usage_days_characters_check CHECK ((characters >= 0)),
  CONSTRAINT usage_days_cost_nano_check CHECK ((cost_nano >= 0)),
  CONSTRAINT usage_days_images_check CHECK ((images >= 0)),
  CONSTRAINT usage_days_input_tokens_check CHECK ((input_tokens >= 0)),
  CONSTRAINT usage_days_known_requests_check CHECK ((known_requests >= 0)),
  CONSTRAINT usage_days_known_revenue_nano_check CHECK ((known_revenue_nano >= 0)),
  CONSTRAINT usage_days_output_tokens_check CHECK ((output_tokens >= 0)),
  CONSTRAINT usage_days_reasoning_tokens_check CHECK ((reasoning_tokens >= 0)),
  CONSTRAINT usage_days_requests_check CHECK ((requests > 0)),
  CONSTRAINT usage_days_searches_check CHECK ((searches >= 0)),
  CONSTRAINT usage_days_seconds_check CHECK ((seconds >= 0)),
  CONSTRAINT usage_days_upstream_nano_check CHECK ((upstream_nano >= 0))
);

CREATE INDEX usage_days_by_day ON public.usage_days USING btree (day);

CREATE TABLE usage_records (
  request_id text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  key_id text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  model text NOT NULL,
  channel text,
  endpoint text NOT NULL,
  status text NOT NULL,
  stream boolean NOT NULL,
  input_tokens bigint NOT NULL,
  cached_input_tokens bigint NOT NULL,
  cache_write_5m_tokens bigint NOT NULL,
  cache_write_1h_tokens bigint NOT NULL,
  output_tokens bigint NOT NULL,
  reasoning_tokens bigint NOT NULL,
  images bigint NOT NULL,
  first_token_ms bigint,
  total_ms bigint NOT NULL,
  held_nano bigint NOT NULL,
  cost_nano bigint NOT NULL,
  balance_after_nano bigint NOT NULL,
  estimated boolean NOT NULL,
  revision bigint NOT NULL,
  attempts text NOT NULL,
  rule text,
  service_tier text,
  tool_calls text,
  priced_at bigint,
  upstream_nano bigint,
  seconds bigint NOT NULL DEFAULT 0,
  characters bigint NOT NULL DEFAULT 0,
  searches bigint NOT NULL DEFAULT 0,
  CONSTRAINT usage_records_pkey PRIMARY KEY (request_id),
  CONSTRAINT usage_records_balance_after_nano_check CHECK ((balance_after_nano >= 0)),
  CONSTRAINT usage_records_cache_write_1h_tokens_check CHECK ((cache_write_1h_tokens >= 0)),
  CONSTRAINT usage_records_cache_write_5m_tokens_check CHECK ((cache_write_5m_tokens >= 0)),
  CONSTRAINT usage_records_cached_input_tokens_check CHECK ((cached_input_tokens >= 0)),
  CONSTRAINT usage_records_characters_check CHECK ((characters >= 0)),
  CONSTRAINT usage_records_check CHECK ((cost_nano <= held_nano)),
  CONSTRAINT usage_records_cost_nano_check CHECK ((cost_nano >= 0)),
  CONSTRAINT usage_records_held_nano_check CHECK ((held_nano >= 0)),
  CONSTRAINT usage_records_images_check CHECK ((images >= 0)),
  CONSTRAINT usage_records_input_tokens_check CHECK ((input_tokens >= 0)),
  CONSTRAINT usage_records_output_tokens_check CHECK ((output_tokens >= 0)),
  CONSTRAINT usage_records_reasoning_tokens_check CHECK ((reasoning_tokens >= 0)),
  CONSTRAINT usage_records_searches_check CHECK ((searches >= 0)),
  CONSTRAINT usage_records_seconds_check CHECK ((seconds >= 0)),
  CONSTRAINT usage_records_upstream_nano_check CHECK ((upstream_nano >= 0))
);

CREATE INDEX usage_by_account ON public.usage_records USING btree (account_id, at DESC, request_id DESC);

CREATE TRIGGER usage_added AFTER INSERT ON public.usage_records REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION add_usage_to_days();

CREATE TABLE versions (
  name text COLLATE "C" NOT NULL,
  version bigint NOT NULL,
  CONSTRAINT versions_pkey PRIMARY KEY (name)
);

CREATE TABLE wallets (
  account_id text COLLATE "C" NOT NULL,
  balance_nano bigint NOT NULL,
  held_nano bigint NOT NULL,
  in_flight bigint NOT NULL,
  free_in_flight bigint NOT NULL,
  frozen boolean NOT NULL,
  touched_at bigint NOT NULL,
  balance_low_nano bigint NOT NULL DEFAULT '5000000000'::bigint,
  paid_nano bigint NOT NULL DEFAULT 0,
  paid_spent_nano bigint NOT NULL DEFAULT 0,
  CONSTRAINT wallets_pkey PRIMARY KEY (account_id),
  CONSTRAINT available_not_negative CHECK ((balance_nano >= held_nano)),
  CONSTRAINT wallets_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(account_id),
  CONSTRAINT wallets_balance_low_nano_check CHECK ((balance_low_nano >= 0)),
  CONSTRAINT wallets_balance_nano_check CHECK ((balance_nano >= 0)),
  CONSTRAINT wallets_check CHECK (((paid_nano >= 0) AND (paid_nano <= balance_nano))),
  CONSTRAINT wallets_free_in_flight_check CHECK ((free_in_flight >= 0)),
  CONSTRAINT wallets_held_nano_check CHECK ((held_nano >= 0)),
  CONSTRAINT wallets_in_flight_check CHECK ((in_flight >= 0)),
  CONSTRAINT wallets_paid_spent_nano_check CHECK ((paid_spent_nano >= 0))
) WITH (fillfactor=60);

CREATE INDEX wallets_by_touch ON public.wallets USING brin (touched_at) WITH (autosummarize='on');

CREATE TABLE webhook_deliveries (
  delivery_id text COLLATE "C" NOT NULL,
  webhook_id text COLLATE "C" NOT NULL,
  event_id bigint NOT NULL,
  state text NOT NULL,
  attempts bigint NOT NULL,
  status bigint,
  detail text,
  last_at bigint NOT NULL,
  next_at bigint,
  CONSTRAINT webhook_deliveries_pkey PRIMARY KEY (delivery_id),
  CONSTRAINT webhook_deliveries_check CHECK (((state = 'pending'::text) = (next_at IS NOT NULL))),
  CONSTRAINT webhook_deliveries_state_check CHECK ((state = ANY (ARRAY['delivered'::text, 'pending'::text, 'failed'::text])))
);

CREATE INDEX webhook_deliveries_by_event ON public.webhook_deliveries USING btree (event_id);

CREATE INDEX webhook_deliveries_by_webhook ON public.webhook_deliveries USING btree (webhook_id, event_id);

CREATE INDEX webhook_deliveries_due ON public.webhook_deliveries USING btree (webhook_id, next_at) WHERE (next_at IS NOT NULL);

CREATE TABLE webhook_lists (
  account_id text COLLATE "C" NOT NULL,
  webhook_ids text NOT NULL,
  CONSTRAINT webhook_lists_pkey PRIMARY KEY (account_id),
  CONSTRAINT webhook_lists_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(account_id)
);

CREATE TABLE webhooks (
  webhook_id text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  url text NOT NULL,
  types text,
  enabled boolean NOT NULL,
  disabled_for text,
  secret text NOT NULL,
  old_secret text,
  old_secret_until bigint,
  cursor_event_id bigint NOT NULL,
  replays bigint NOT NULL,
  due_at bigint,
  paused_until bigint,
  failing_since bigint,
  created_at bigint NOT NULL,
  CONSTRAINT webhooks_pkey PRIMARY KEY (webhook_id),
  CONSTRAINT webhooks_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(account_id),
  CONSTRAINT webhooks_disabled_for_check CHECK ((disabled_for = ANY (ARRAY['gone'::text, 'failing'::text])))
);

CREATE INDEX webhooks_by_account ON public.webhooks USING btree (account_id);

CREATE INDEX webhooks_due ON public.webhooks USING btree (due_at) WHERE (due_at IS NOT NULL);

CREATE TABLE windows (
  window_id text COLLATE "C" NOT NULL,
  slots text NOT NULL,
  day bigint NOT NULL,
  day_count bigint NOT NULL,
  touched_at bigint NOT NULL,
  CONSTRAINT windows_pkey PRIMARY KEY (window_id),
  CONSTRAINT windows_day_count_check CHECK ((day_count >= 0))
) WITH (fillfactor=60);

CREATE TABLE writers (
  writer_id text COLLATE "C" NOT NULL,
  batch bigint NOT NULL,
  touched_at bigint NOT NULL,
  CONSTRAINT writers_pkey PRIMARY KEY (writer_id)
);

CREATE OR REPLACE FUNCTION public.add_losses_to_sums()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  INSERT INTO loss_sums AS known
  SELECT account_id, day, model, coalesce(channel, ''), reason, count(*), least(sum(amount_nano), 9223372036854775807)
  FROM added GROUP BY 1, 2, 3, 4, 5
  ON CONFLICT (account_id, day, model, channel, reason) DO UPDATE SET
    losses = known.losses + excluded.losses,
    amount_nano = least(known.amount_nano::numeric + excluded.amount_nano, 9223372036854775807);
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.add_usage_to_days()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  INSERT INTO usage_days AS known
  SELECT account_id, (at + 28800000) / 86400000, key_id, model, coalesce(channel, ''), status, count(*),
    sum(input_tokens), sum(cached_input_tokens), sum(cache_write_5m_tokens), sum(cache_write_1h_tokens),
    sum(output_tokens), sum(reasoning_tokens), sum(images), sum(cost_nano),
    coalesce(sum(upstream_nano), 0), count(upstream_nano),
    coalesce(sum(cost_nano) FILTER (WHERE upstream_nano IS NOT NULL), 0),
    sum(seconds), sum(characters), sum(searches)
  FROM added GROUP BY 1, 2, 3, 4, 5, 6
  ON CONFLICT (account_id, day, key_id, model, channel, status) DO UPDATE SET
    requests = known.requests + excluded.requests,
    input_tokens = known.input_tokens + excluded.input_tokens,
    cached_input_tokens = known.cached_input_tokens + excluded.cached_input_tokens,
    cache_write_5m_tokens = known.cache_write_5m_tokens + excluded.cache_write_5m_tokens,
    cache_write_1h_tokens = known.cache_write_1h_tokens + excluded.cache_write_1h_tokens,
    output_tokens = known.output_tokens + excluded.output_tokens,
    reasoning_tokens = known.reasoning_tokens + excluded.reasoning_tokens,
    images = known.images + excluded.images,
    cost_nano = known.cost_nano + excluded.cost_nano,
    upstream_nano = known.upstream_nano + excluded.upstream_nano,
    known_requests = known.known_requests + excluded.known_requests,
    known_revenue_nano = known.known_revenue_nano + excluded.known_revenue_nano,
    seconds = known.seconds + excluded.seconds,
    characters = known.characters + excluded.characters,
    searches = known.searches + excluded.searches;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.count_changed_keys()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  UPDATE versions SET version = version + 1 WHERE name = 'keys';
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.note_newest_revision()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  INSERT INTO settings VALUES ('newest_revision', CAST(new.revision AS text))
  ON CONFLICT (name) DO UPDATE SET value = excluded.value;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.refuse_to_change_audit_log()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  RAISE EXCEPTION 'the audit log is append-only' USING ERRCODE = 'integrity_constraint_violation';
END $function$;

CREATE OR REPLACE FUNCTION public.refuse_to_change_entries()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  RAISE EXCEPTION 'entries are append-only' USING ERRCODE = 'integrity_constraint_violation';
END $function$;

CREATE OR REPLACE FUNCTION public.refuse_to_update_events()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  RAISE EXCEPTION 'events are append-only' USING ERRCODE = 'integrity_constraint_violation';
END $function$;

CREATE OR REPLACE FUNCTION public.refuse_to_update_losses()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  RAISE EXCEPTION 'losses are append-only' USING ERRCODE = 'integrity_constraint_violation';
END $function$;
