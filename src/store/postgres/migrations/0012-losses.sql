-- Cost that an upstream bills and no customer pays. Kept as long as usage records.
CREATE TABLE losses (
  loss_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  request_id text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  -- The Taipei day it counts for.
  day bigint NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  model text COLLATE "C" NOT NULL,
  channel text COLLATE "C",
  reason text COLLATE "C" NOT NULL,
  amount_nano bigint NOT NULL CHECK (amount_nano > 0)
);
CREATE INDEX losses_by_day ON losses (day);
CREATE INDEX losses_by_account ON losses (account_id, day);
CREATE FUNCTION refuse_to_update_losses() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'losses are append-only' USING ERRCODE = 'integrity_constraint_violation';
END $$;
CREATE TRIGGER losses_are_not_updated BEFORE UPDATE ON losses
FOR EACH STATEMENT EXECUTE FUNCTION refuse_to_update_losses();

-- Per account, the losses of its newest day that count for the guard.
CREATE TABLE loss_days (
  account_id text COLLATE "C" PRIMARY KEY REFERENCES accounts (account_id),
  day bigint NOT NULL,
  amount_nano bigint NOT NULL CHECK (amount_nano >= 0),
  -- Whether a loss of this day was charged to the account, because the guard was used up.
  reached boolean NOT NULL
);

-- Why a request costs what it costs. Unknown for older records.
ALTER TABLE usage_records ADD COLUMN rule text;
