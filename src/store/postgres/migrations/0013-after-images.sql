-- Nothing changes here: only the embedded database has a journal. The numbers of both go together.
SELECT 1;
