-- What audio, spoken text and reranks are billed by.
ALTER TABLE usage_records ADD COLUMN seconds bigint NOT NULL DEFAULT 0 CHECK (seconds >= 0);
ALTER TABLE usage_records ADD COLUMN characters bigint NOT NULL DEFAULT 0 CHECK (characters >= 0);
ALTER TABLE usage_records ADD COLUMN searches bigint NOT NULL DEFAULT 0 CHECK (searches >= 0);
ALTER TABLE usage_days ADD COLUMN seconds bigint NOT NULL DEFAULT 0 CHECK (seconds >= 0);
ALTER TABLE usage_days ADD COLUMN characters bigint NOT NULL DEFAULT 0 CHECK (characters >= 0);
ALTER TABLE usage_days ADD COLUMN searches bigint NOT NULL DEFAULT 0 CHECK (searches >= 0);

CREATE OR REPLACE FUNCTION add_usage_to_days() RETURNS trigger LANGUAGE plpgsql AS $$
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
END $$;
