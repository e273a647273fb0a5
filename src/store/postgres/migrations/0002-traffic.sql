-- What real traffic says of channels and models, by hour; times are counts by step of a histogram.
CREATE TABLE traffic_hours (
  traffic_id text PRIMARY KEY,
  hour bigint NOT NULL,
  channel text NOT NULL,
  model text NOT NULL,
  ok bigint NOT NULL CHECK (ok >= 0),
  failed bigint NOT NULL CHECK (failed >= 0),
  first_token text NOT NULL,
  total text NOT NULL
);
CREATE INDEX traffic_by_hour ON traffic_hours (hour);
