-- Open holds are few and short-lived: a look at all of them costs less than an index that every request writes twice.
DROP INDEX holds_by_account;

-- Read backwards it is the same order; written forwards, new records stand at the end of their account, where pages fill up.
DROP INDEX usage_by_account;
CREATE INDEX usage_by_account ON usage_records (account_id, at, request_id, model, channel, key_id, status);
