-- Facts about this database itself, written once.
CREATE TABLE settings (
  name text PRIMARY KEY,
  value text NOT NULL
);
