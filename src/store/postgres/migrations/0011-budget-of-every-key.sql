-- What a key spends on a day and what it holds is kept for every key that pays, so that a budget given later finds it. Keys
-- without a row begin with what they spent on the Taipei day of this migration.
INSERT INTO budgets (key_id, day, spent_nano, held_nano)
  SELECT key_id, day, sum(cost_nano), 0 FROM usage_days
  WHERE day = floor((extract(epoch FROM now()) + 28800) / 86400) AND key_id NOT IN (SELECT key_id FROM budgets)
  GROUP BY key_id, day HAVING sum(cost_nano) > 0;

-- From here on its rows change with every request, like those of wallets.
ALTER TABLE budgets SET (fillfactor = 60);
