-- Keys below other keys, and limits of a key that need no column of their own. A parent is not a foreign key: rows are copied
-- in the order of their ids, in which a child may come first.
ALTER TABLE keys
  ADD COLUMN parent_id text COLLATE "C",
  ADD COLUMN depth bigint NOT NULL DEFAULT 0,
  ADD COLUMN delegate boolean NOT NULL DEFAULT false,
  ADD COLUMN limits text NOT NULL DEFAULT '{}',
  ADD CONSTRAINT keys_depth_check CHECK (depth BETWEEN 0 AND 8 AND (depth = 0) = (parent_id IS NULL)),
  ADD CONSTRAINT limited_keys_do_not_manage CHECK (NOT manage OR (parent_id IS NULL AND limits = '{}'));

-- Months count from year 0, in Taipei. The limits are those of the key, written together with it.
ALTER TABLE budgets
  ADD COLUMN month bigint NOT NULL DEFAULT 0,
  ADD COLUMN month_spent_nano bigint NOT NULL DEFAULT 0 CHECK (month_spent_nano >= 0),
  ADD COLUMN total_spent_nano bigint NOT NULL DEFAULT 0 CHECK (total_spent_nano >= 0),
  ADD COLUMN in_flight bigint NOT NULL DEFAULT 0 CHECK (in_flight >= 0),
  ADD COLUMN limits text;

-- The ancestors, sessions and rates that count the hold, as JSON; NULL where its key has none of them.
ALTER TABLE holds ADD COLUMN chain text;

-- What each session spent of the session budget of a key. The id is the key's and a keyed hash of the session's name.
CREATE TABLE session_budgets (
  session_id text COLLATE "C" PRIMARY KEY,
  spent_nano bigint NOT NULL CHECK (spent_nano >= 0),
  held_nano bigint NOT NULL CHECK (held_nano >= 0),
  touched_at bigint NOT NULL
);
CREATE INDEX session_budgets_by_touch ON session_budgets (touched_at);

-- Totals and the current month begin with the usage that is kept.
INSERT INTO budgets (key_id, day, spent_nano, held_nano)
  SELECT key_id, 0, 0, 0 FROM keys
  WHERE (daily_budget_nano IS NOT NULL OR key_id IN (SELECT key_id FROM usage_days WHERE cost_nano > 0))
    AND key_id NOT IN (SELECT key_id FROM budgets);
UPDATE budgets SET month = extract(year FROM taipei.now) * 12 + extract(month FROM taipei.now) - 1
  FROM (SELECT (now() AT TIME ZONE 'UTC') + interval '8 hours' AS now) AS taipei;
UPDATE budgets SET month_spent_nano = used.month_nano, total_spent_nano = used.total_nano
  FROM (
    SELECT key_id, sum(cost_nano) AS total_nano, sum(CASE WHEN day >= (
        SELECT extract(epoch FROM date_trunc('month', (now() AT TIME ZONE 'UTC') + interval '8 hours')) / 86400
      ) THEN cost_nano ELSE 0 END) AS month_nano
    FROM usage_days GROUP BY key_id
  ) AS used WHERE used.key_id = budgets.key_id;
UPDATE budgets SET in_flight = running.calls
  FROM (SELECT key_id, count(*) AS calls FROM holds WHERE budgeted GROUP BY key_id) AS running
  WHERE running.key_id = budgets.key_id;
UPDATE budgets SET limits = '{"dayBudget":"' || keys.daily_budget_nano || '"}'
  FROM keys WHERE keys.key_id = budgets.key_id AND keys.daily_budget_nano IS NOT NULL;
