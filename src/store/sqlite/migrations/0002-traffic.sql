-- What real traffic says of channels and models, by hour; times are counts by step of a histogram.
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
