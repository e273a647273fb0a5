-- The moment whose prices a request is charged by, where that is not the time of its admission: a quote keeps its price when a
-- scheduled change comes. Null: the time of the admission.
ALTER TABLE usage_records ADD COLUMN priced_at INTEGER;
