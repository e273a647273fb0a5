-- What else decides the price of a request: the service tier that is charged, and calls of tools of the upstream, as JSON.
-- Null: the standard tier, and none.
ALTER TABLE usage_records ADD COLUMN service_tier TEXT;
ALTER TABLE usage_records ADD COLUMN tool_calls TEXT;
