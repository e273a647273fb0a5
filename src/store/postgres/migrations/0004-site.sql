-- How people come to the pages of their account: a name with a password, and the sessions that are open.
CREATE TABLE logins (
  account_id text COLLATE "C" PRIMARY KEY REFERENCES accounts (account_id),
  -- In lower case, which is how names are compared.
  name text COLLATE "C" UNIQUE CHECK (name = lower(name)),
  password_hash text,
  -- Of each session a keyed hash of its secret, the key it was opened with, and its times.
  sessions text NOT NULL,
  touched_at bigint NOT NULL,
  CHECK ((name IS NULL) = (password_hash IS NULL))
);

-- Who has a name. A row of its own for each, so that two who want the same one meet at it.
CREATE TABLE login_names (
  name text COLLATE "C" PRIMARY KEY CHECK (name = lower(name)),
  account_id text COLLATE "C" NOT NULL REFERENCES accounts (account_id)
);

-- What the operator tells about troubles, in both languages of the pages.
CREATE TABLE incidents (
  incident_id text COLLATE "C" PRIMARY KEY,
  started_at bigint NOT NULL,
  ended_at bigint CHECK (ended_at >= started_at),
  title_en text NOT NULL,
  title_zh text NOT NULL,
  text_en text NOT NULL,
  text_zh text NOT NULL,
  created_at bigint NOT NULL
);
