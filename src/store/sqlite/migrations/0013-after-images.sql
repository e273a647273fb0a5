-- The journal holds what each batch changed, no longer the operations to be decided again. Nothing is in it: a journal is
-- posted before any migration, and one of the older form is refused.
DROP TABLE journal;
CREATE TABLE journal (
  seq INTEGER PRIMARY KEY,
  -- The last state of each changed row and the added rows, as JSON, with the columns in the order of their tables.
  changes TEXT NOT NULL
) STRICT;
