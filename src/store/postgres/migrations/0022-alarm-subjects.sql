-- What an alarm is about, an account or a channel: alarms of one name and subject are counted and acknowledged together.
ALTER TABLE alarms ADD COLUMN subject text COLLATE "C" NOT NULL DEFAULT '';
UPDATE alarms SET subject = coalesce(fields::json ->> 'account_id', fields::json ->> 'channel', '');
