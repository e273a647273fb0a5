-- Sums of usage records by Taipei day and by everything they can be filtered by. They are kept by the database itself in
-- the transaction of each record, so that totals need no look at the records.
CREATE TABLE usage_days (
  account_id text COLLATE "C" NOT NULL,
  day bigint NOT NULL,
  key_id text COLLATE "C" NOT NULL,
  model text COLLATE "C" NOT NULL,
  -- Empty where no channel served: a primary key knows no NULL.
  channel text COLLATE "C" NOT NULL,
  status text COLLATE "C" NOT NULL,
  requests bigint NOT NULL CHECK (requests > 0),
  input_tokens bigint NOT NULL CHECK (input_tokens >= 0),
  cached_input_tokens bigint NOT NULL CHECK (cached_input_tokens >= 0),
  cache_write_5m_tokens bigint NOT NULL CHECK (cache_write_5m_tokens >= 0),
  cache_write_1h_tokens bigint NOT NULL CHECK (cache_write_1h_tokens >= 0),
  output_tokens bigint NOT NULL CHECK (output_tokens >= 0),
  reasoning_tokens bigint NOT NULL CHECK (reasoning_tokens >= 0),
  images bigint NOT NULL CHECK (images >= 0),
  cost_nano bigint NOT NULL CHECK (cost_nano >= 0),
  PRIMARY KEY (account_id, day, key_id, model, channel, status)
);

INSERT INTO usage_days
  SELECT account_id, (at + 28800000) / 86400000, key_id, model, coalesce(channel, ''), status, count(*),
    sum(input_tokens), sum(cached_input_tokens), sum(cache_write_5m_tokens), sum(cache_write_1h_tokens),
    sum(output_tokens), sum(reasoning_tokens), sum(images), sum(cost_nano)
  FROM usage_records GROUP BY 1, 2, 3, 4, 5, 6;

CREATE FUNCTION add_usage_to_days() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO usage_days AS known
  SELECT account_id, (at + 28800000) / 86400000, key_id, model, coalesce(channel, ''), status, count(*),
    sum(input_tokens), sum(cached_input_tokens), sum(cache_write_5m_tokens), sum(cache_write_1h_tokens),
    sum(output_tokens), sum(reasoning_tokens), sum(images), sum(cost_nano)
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
    cost_nano = known.cost_nano + excluded.cost_nano;
  RETURN NULL;
END $$;
CREATE TRIGGER usage_added AFTER INSERT ON usage_records REFERENCING NEW TABLE AS added
FOR EACH STATEMENT EXECUTE FUNCTION add_usage_to_days();
