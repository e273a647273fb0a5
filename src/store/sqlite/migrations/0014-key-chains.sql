-- Keys below other keys, and limits of a key that need no column of their own. A parent is not a foreign key: rows are copied
-- in the order of their ids, in which a child may come first.
ALTER TABLE keys ADD COLUMN parent_id TEXT CHECK (parent_id IS NULL OR manage = 0);
ALTER TABLE keys ADD COLUMN depth INTEGER NOT NULL DEFAULT 0
  CHECK (depth BETWEEN 0 AND 8 AND (depth = 0) = (parent_id IS NULL));
ALTER TABLE keys ADD COLUMN delegate INTEGER NOT NULL DEFAULT 0 CHECK (delegate IN (0, 1));
ALTER TABLE keys ADD COLUMN limits TEXT NOT NULL DEFAULT '{}' CHECK (manage = 0 OR limits = '{}');

-- Months count from year 0, in Taipei. The limits are those of the key, written together with it.
ALTER TABLE budgets ADD COLUMN month INTEGER NOT NULL DEFAULT 0;
ALTER TABLE budgets ADD COLUMN month_spent_nano INTEGER NOT NULL DEFAULT 0 CHECK (month_spent_nano >= 0);
ALTER TABLE budgets ADD COLUMN total_spent_nano INTEGER NOT NULL DEFAULT 0 CHECK (total_spent_nano >= 0);
ALTER TABLE budgets ADD COLUMN in_flight INTEGER NOT NULL DEFAULT 0 CHECK (in_flight >= 0);
ALTER TABLE budgets ADD COLUMN limits TEXT;

-- The ancestors, sessions and rates that count the hold, as JSON; NULL where its key has none of them.
ALTER TABLE holds ADD COLUMN chain TEXT;

-- What each session spent of the session budget of a key. The id is the key's and a keyed hash of the session's name.
CREATE TABLE session_budgets (
  session_id TEXT PRIMARY KEY,
  spent_nano INTEGER NOT NULL CHECK (spent_nano >= 0),
  held_nano INTEGER NOT NULL CHECK (held_nano >= 0),
  touched_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX session_budgets_by_touch ON session_budgets (touched_at);

-- Totals and the current month begin with the usage that is kept.
INSERT INTO budgets (key_id, day, spent_nano, held_nano)
  SELECT key_id, 0, 0, 0 FROM keys
  WHERE (daily_budget_nano IS NOT NULL OR key_id IN (SELECT key_id FROM usage_days WHERE cost_nano > 0))
    AND key_id NOT IN (SELECT key_id FROM budgets);
UPDATE budgets SET month = CAST(strftime('%Y', 'now', '+8 hours') AS INTEGER) * 12
  + CAST(strftime('%m', 'now', '+8 hours') AS INTEGER) - 1;
UPDATE budgets SET month_spent_nano = used.month_nano, total_spent_nano = used.total_nano
  FROM (
    SELECT key_id, sum(cost_nano) AS total_nano,
      sum(CASE WHEN day >= unixepoch('now', '+8 hours', 'start of month') / 86400 THEN cost_nano ELSE 0 END) AS month_nano
    FROM usage_days GROUP BY key_id
  ) AS used WHERE used.key_id = budgets.key_id;
UPDATE budgets SET in_flight = running.calls
  FROM (SELECT key_id, count(*) AS calls FROM holds WHERE budgeted GROUP BY key_id) AS running
  WHERE running.key_id = budgets.key_id;
UPDATE budgets SET limits = '{"dayBudget":"' || keys.daily_budget_nano || '"}'
  FROM keys WHERE keys.key_id = budgets.key_id AND keys.daily_budget_nano IS NOT NULL;
