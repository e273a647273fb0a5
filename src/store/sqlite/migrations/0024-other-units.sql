-- What audio, spoken text and reranks are billed by.
ALTER TABLE usage_records ADD COLUMN seconds INTEGER NOT NULL DEFAULT 0 CHECK (seconds >= 0);
ALTER TABLE usage_records ADD COLUMN characters INTEGER NOT NULL DEFAULT 0 CHECK (characters >= 0);
ALTER TABLE usage_records ADD COLUMN searches INTEGER NOT NULL DEFAULT 0 CHECK (searches >= 0);
ALTER TABLE usage_days ADD COLUMN seconds INTEGER NOT NULL DEFAULT 0 CHECK (seconds >= 0);
ALTER TABLE usage_days ADD COLUMN characters INTEGER NOT NULL DEFAULT 0 CHECK (characters >= 0);
ALTER TABLE usage_days ADD COLUMN searches INTEGER NOT NULL DEFAULT 0 CHECK (searches >= 0);
