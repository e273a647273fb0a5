-- What happened to one account, or to all of them (NULL), written by the operation that caused it. Kept for 30 days; a number
-- is never given twice, because clients use it as a cursor. Whoever inserts holds a lock until the commit, so that numbers
-- are in the order of commits.
CREATE TABLE events (
  event_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_id text COLLATE "C" REFERENCES accounts (account_id),
  type text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  -- Ids and figures, as the API shows them.
  data text NOT NULL
);
CREATE INDEX events_by_account ON events (account_id, event_id);
CREATE INDEX events_by_time ON events (at);
CREATE FUNCTION refuse_to_update_events() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'events are append-only' USING ERRCODE = 'integrity_constraint_violation';
END $$;
CREATE TRIGGER events_are_not_updated BEFORE UPDATE ON events
FOR EACH STATEMENT EXECUTE FUNCTION refuse_to_update_events();

-- A settlement that brings the balance below this amount adds the event balance.low; NT$5 unless the account sets another.
ALTER TABLE wallets ADD COLUMN balance_low_nano bigint NOT NULL DEFAULT 5000000000 CHECK (balance_low_nano >= 0);
