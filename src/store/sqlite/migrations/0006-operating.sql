-- What operators did: who, when, what. Only ever added to.
CREATE TABLE audit_log (
  action_id INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  actor TEXT NOT NULL,
  action TEXT NOT NULL,
  subject TEXT NOT NULL,
  detail TEXT NOT NULL
) STRICT;
CREATE INDEX audit_log_by_action ON audit_log (action, subject);
CREATE INDEX audit_log_by_subject ON audit_log (subject);
CREATE TRIGGER audit_log_is_not_updated BEFORE UPDATE ON audit_log
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
CREATE TRIGGER audit_log_is_not_deleted BEFORE DELETE ON audit_log
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;

-- Who made a revision and how, where an operator did.
ALTER TABLE revisions ADD COLUMN actor TEXT;
ALTER TABLE revisions ADD COLUMN action TEXT;

-- The newest revision as a row that can be locked: two edits of one revision meet at it.
INSERT INTO settings SELECT 'newest_revision', CAST(max(revision) AS TEXT) FROM revisions HAVING max(revision) IS NOT NULL;
CREATE TRIGGER revision_added AFTER INSERT ON revisions
BEGIN
  INSERT INTO settings VALUES ('newest_revision', CAST(new.revision AS TEXT))
  ON CONFLICT (name) DO UPDATE SET value = excluded.value;
END;

-- What an operator looks for.
CREATE INDEX keys_by_last4 ON keys (last4);
CREATE INDEX usage_days_by_day ON usage_days (day);
