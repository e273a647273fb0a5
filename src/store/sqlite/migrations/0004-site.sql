-- How people come to the pages of their account: a name with a password, and the sessions that are open.
CREATE TABLE logins (
  account_id TEXT PRIMARY KEY REFERENCES accounts (account_id),
  -- In lower case, which is how names are compared.
  name TEXT UNIQUE CHECK (name = lower(name)),
  password_hash TEXT,
  -- Of each session a keyed hash of its secret, the key it was opened with, and its times.
  sessions TEXT NOT NULL,
  touched_at INTEGER NOT NULL,
  CHECK ((name IS NULL) = (password_hash IS NULL))
) STRICT, WITHOUT ROWID;

-- Who has a name. A row of its own for each, so that two who want the same one meet at it.
CREATE TABLE login_names (
  name TEXT PRIMARY KEY CHECK (name = lower(name)),
  account_id TEXT NOT NULL REFERENCES accounts (account_id)
) STRICT, WITHOUT ROWID;

-- What the operator tells about troubles, in both languages of the pages.
CREATE TABLE incidents (
  incident_id TEXT PRIMARY KEY,
  started_at INTEGER NOT NULL,
  ended_at INTEGER CHECK (ended_at >= started_at),
  title_en TEXT NOT NULL,
  title_zh TEXT NOT NULL,
  text_en TEXT NOT NULL,
  text_zh TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
