-- Batches of the operations that every request makes, each as one row with what it was answered. Whoever opens the file
-- works them out again in their order, writes the outcome into the tables and deletes them, in one transaction.
CREATE TABLE journal (
  seq INTEGER PRIMARY KEY,
  operations TEXT NOT NULL,
  answers TEXT NOT NULL
) STRICT;
