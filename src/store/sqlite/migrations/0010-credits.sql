-- Money that came into an account is a few entries among the many of its requests: found without reading those, and no
-- request writes to this index.
CREATE INDEX entries_in_by_account ON entries (account_id, entry_id) WHERE kind <> 'usage';
