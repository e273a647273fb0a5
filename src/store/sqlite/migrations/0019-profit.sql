-- What upstreams bill for what the customer of a request pays; NULL: unknown, as for every older record.
ALTER TABLE usage_records ADD COLUMN upstream_nano INTEGER CHECK (upstream_nano >= 0);

-- The sums of a day: that cost where it is known, and the requests and the revenue of which it is known.
ALTER TABLE usage_days ADD COLUMN upstream_nano INTEGER NOT NULL DEFAULT 0 CHECK (upstream_nano >= 0);
ALTER TABLE usage_days ADD COLUMN known_requests INTEGER NOT NULL DEFAULT 0 CHECK (known_requests >= 0);
ALTER TABLE usage_days ADD COLUMN known_revenue_nano INTEGER NOT NULL DEFAULT 0 CHECK (known_revenue_nano >= 0);

-- Sums of losses by Taipei day, kept by the database itself in the transaction of each loss.
CREATE TABLE loss_sums (
  account_id TEXT NOT NULL,
  day INTEGER NOT NULL,
  model TEXT NOT NULL,
  -- Empty where no channel is known: a primary key knows no NULL.
  channel TEXT NOT NULL,
  reason TEXT NOT NULL,
  losses INTEGER NOT NULL CHECK (losses > 0),
  amount_nano INTEGER NOT NULL CHECK (amount_nano > 0),
  PRIMARY KEY (account_id, day, model, channel, reason)
) STRICT, WITHOUT ROWID;
CREATE INDEX loss_sums_by_day ON loss_sums (day);

INSERT INTO loss_sums
  SELECT account_id, day, model, coalesce(channel, ''), reason, count(*), sum(amount_nano)
  FROM losses GROUP BY 1, 2, 3, 4, 5;

-- A sum that no column holds stays at the largest amount: it must not keep a journaled loss from being posted.
CREATE TRIGGER loss_added AFTER INSERT ON losses
BEGIN
  INSERT INTO loss_sums
  VALUES (new.account_id, new.day, new.model, coalesce(new.channel, ''), new.reason, 1, new.amount_nano)
  ON CONFLICT (account_id, day, model, channel, reason) DO UPDATE SET
    losses = losses + 1,
    amount_nano = CASE
      WHEN amount_nano > 9223372036854775807 - excluded.amount_nano THEN 9223372036854775807
      ELSE amount_nano + excluded.amount_nano
    END;
END;
