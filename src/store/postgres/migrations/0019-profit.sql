-- What upstreams bill for what the customer of a request pays; NULL: unknown, as for every older record.
ALTER TABLE usage_records ADD COLUMN upstream_nano bigint CHECK (upstream_nano >= 0);

-- The sums of a day: that cost where it is known, and the requests and the revenue of which it is known.
ALTER TABLE usage_days ADD COLUMN upstream_nano bigint NOT NULL DEFAULT 0 CHECK (upstream_nano >= 0);
ALTER TABLE usage_days ADD COLUMN known_requests bigint NOT NULL DEFAULT 0 CHECK (known_requests >= 0);
ALTER TABLE usage_days ADD COLUMN known_revenue_nano bigint NOT NULL DEFAULT 0 CHECK (known_revenue_nano >= 0);

CREATE OR REPLACE FUNCTION add_usage_to_days() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO usage_days AS known
  SELECT account_id, (at + 28800000) / 86400000, key_id, model, coalesce(channel, ''), status, count(*),
    sum(input_tokens), sum(cached_input_tokens), sum(cache_write_5m_tokens), sum(cache_write_1h_tokens),
    sum(output_tokens), sum(reasoning_tokens), sum(images), sum(cost_nano),
    coalesce(sum(upstream_nano), 0), count(upstream_nano),
    coalesce(sum(cost_nano) FILTER (WHERE upstream_nano IS NOT NULL), 0)
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
    known_revenue_nano = known.known_revenue_nano + excluded.known_revenue_nano;
  RETURN NULL;
END $$;

-- Sums of losses by Taipei day, kept by the database itself in the transaction of each loss.
CREATE TABLE loss_sums (
  account_id text COLLATE "C" NOT NULL,
  day bigint NOT NULL,
  model text COLLATE "C" NOT NULL,
  -- Empty where no channel is known: a primary key knows no NULL.
  channel text COLLATE "C" NOT NULL,
  reason text COLLATE "C" NOT NULL,
  losses bigint NOT NULL CHECK (losses > 0),
  amount_nano bigint NOT NULL CHECK (amount_nano > 0),
  PRIMARY KEY (account_id, day, model, channel, reason)
);
CREATE INDEX loss_sums_by_day ON loss_sums (day);

INSERT INTO loss_sums
  SELECT account_id, day, model, coalesce(channel, ''), reason, count(*), least(sum(amount_nano), 9223372036854775807)
  FROM losses GROUP BY 1, 2, 3, 4, 5;

-- A sum that no column holds stays at the largest amount, so that it keeps no batch from being written.
CREATE FUNCTION add_losses_to_sums() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO loss_sums AS known
  SELECT account_id, day, model, coalesce(channel, ''), reason, count(*), least(sum(amount_nano), 9223372036854775807)
  FROM added GROUP BY 1, 2, 3, 4, 5
  ON CONFLICT (account_id, day, model, channel, reason) DO UPDATE SET
    losses = known.losses + excluded.losses,
    amount_nano = least(known.amount_nano::numeric + excluded.amount_nano, 9223372036854775807);
  RETURN NULL;
END $$;
CREATE TRIGGER losses_added AFTER INSERT ON losses REFERENCING NEW TABLE AS added
FOR EACH STATEMENT EXECUTE FUNCTION add_losses_to_sums();
