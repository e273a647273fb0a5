-- What operators did: who, when, what. Only ever added to.
CREATE TABLE audit_log (
  action_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at bigint NOT NULL,
  actor text NOT NULL,
  action text COLLATE "C" NOT NULL,
  subject text COLLATE "C" NOT NULL,
  detail text NOT NULL
);
CREATE INDEX audit_log_by_action ON audit_log (action, subject);
CREATE INDEX audit_log_by_subject ON audit_log (subject);
CREATE FUNCTION refuse_to_change_audit_log() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the audit log is append-only' USING ERRCODE = 'integrity_constraint_violation';
END $$;
CREATE TRIGGER audit_log_is_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_log
FOR EACH STATEMENT EXECUTE FUNCTION refuse_to_change_audit_log();

-- Who made a revision and how, where an operator did.
ALTER TABLE revisions ADD COLUMN actor text;
ALTER TABLE revisions ADD COLUMN action text;

-- The newest revision as a row that can be locked: two edits of one revision meet at it.
INSERT INTO settings SELECT 'newest_revision', CAST(max(revision) AS text) FROM revisions HAVING max(revision) IS NOT NULL;
CREATE FUNCTION note_newest_revision() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO settings VALUES ('newest_revision', CAST(new.revision AS text))
  ON CONFLICT (name) DO UPDATE SET value = excluded.value;
  RETURN NULL;
END $$;
CREATE TRIGGER revision_added AFTER INSERT ON revisions FOR EACH ROW EXECUTE FUNCTION note_newest_revision();

-- What an operator looks for.
CREATE INDEX keys_by_last4 ON keys (last4);
CREATE INDEX usage_days_by_day ON usage_days (day);
