-- The sums of a day are kept by the writer, which has many records at hand when it posts them and adds each sum once: a
-- trigger would add to it record by record. The audit compares both.
DROP TRIGGER usage_added;
