-- What an alarm is about, an account or a channel: alarms of one name and subject are counted and acknowledged together.
ALTER TABLE alarms ADD COLUMN subject TEXT NOT NULL DEFAULT '';
UPDATE alarms SET subject = coalesce(json_extract(fields, '$.account_id'), json_extract(fields, '$.channel'), '');
