-- Sums of usage records by Taipei day and by everything they can be filtered by. They are kept by the database itself in
-- the transaction of each record, so that totals need no look at the records.
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
  cost_nano INTEGER NOT NULL CHECK (cost_nano >= 0),
  PRIMARY KEY (account_id, day, key_id, model, channel, status)
) STRICT, WITHOUT ROWID;

INSERT INTO usage_days
  SELECT account_id, (at + 28800000) / 86400000, key_id, model, coalesce(channel, ''), status, count(*),
    sum(input_tokens), sum(cached_input_tokens), sum(cache_write_5m_tokens), sum(cache_write_1h_tokens),
    sum(output_tokens), sum(reasoning_tokens), sum(images), sum(cost_nano)
  FROM usage_records GROUP BY 1, 2, 3, 4, 5, 6;

CREATE TRIGGER usage_added AFTER INSERT ON usage_records
BEGIN
  INSERT INTO usage_days VALUES (
    new.account_id, (new.at + 28800000) / 86400000, new.key_id, new.model, coalesce(new.channel, ''), new.status, 1,
    new.input_tokens, new.cached_input_tokens, new.cache_write_5m_tokens, new.cache_write_1h_tokens,
    new.output_tokens, new.reasoning_tokens, new.images, new.cost_nano
  )
  ON CONFLICT (account_id, day, key_id, model, channel, status) DO UPDATE SET
    requests = requests + excluded.requests,
    input_tokens = input_tokens + excluded.input_tokens,
    cached_input_tokens = cached_input_tokens + excluded.cached_input_tokens,
    cache_write_5m_tokens = cache_write_5m_tokens + excluded.cache_write_5m_tokens,
    cache_write_1h_tokens = cache_write_1h_tokens + excluded.cache_write_1h_tokens,
    output_tokens = output_tokens + excluded.output_tokens,
    reasoning_tokens = reasoning_tokens + excluded.reasoning_tokens,
    images = images + excluded.images,
    cost_nano = cost_nano + excluded.cost_nano;
END;

-- A filtered page is found in the index alone, without a look at every record that does not match.
DROP INDEX usage_by_account;
CREATE INDEX usage_by_account ON usage_records (account_id, at DESC, request_id DESC, model, channel, key_id, status);
