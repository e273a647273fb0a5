// The full audit of a grown ledger: its time must not grow with the square of it.

import { expect, test } from 'bun:test';
import { audit } from '../../src/store/sqlite/backup.ts';
import { migrate } from '../../src/store/sqlite/migrate.ts';
import { openDatabase } from '../../src/store/sqlite/open-database.ts';

const SETTLEMENTS = 30_000;
const ACCOUNTS = 300;
/** Compared row by row with every other, it would be minutes. */
const WITHIN_MS = 10_000;

test(`${SETTLEMENTS} settlements and as many cards and losses are audited soon`, () => {
  const db = openDatabase(':memory:', { unsafeNoSync: true });
  migrate(db);
  const each = (count: number) => `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})`;
  const account = `printf('acc_%05d', i % ${ACCOUNTS})`;
  db.run(`${each(ACCOUNTS)} INSERT INTO accounts SELECT ${account}, 0 FROM n`);
  db.run(
    `${each(ACCOUNTS)} INSERT INTO wallets SELECT ${account}, 0, 0, 0, 0, 0, 0, 0, 0, ${(7 * SETTLEMENTS) / ACCOUNTS} FROM n`,
  );
  db.run(`INSERT INTO card_batches VALUES ('batch', 'sold', 7, ${SETTLEMENTS}, NULL, NULL, 0)`);
  db.run(`${each(SETTLEMENTS)} INSERT INTO cards
    SELECT 'hash' || i, 'serial' || i, 'batch', 'sold', 7, 'redeemed', NULL, ${account}, 0 FROM n`);
  db.run(`${each(SETTLEMENTS)} INSERT INTO entries (at, kind, debit, credit, amount_nano, account_id, balance_after_nano, reference)
    SELECT 0, 'card', 'house:cards_sold', ${account}, 7, ${account}, 7, 'serial' || i FROM n`);
  db.run(`${each(SETTLEMENTS)} INSERT INTO entries (at, kind, debit, credit, amount_nano, account_id, balance_after_nano, reference)
    SELECT 0, 'usage', ${account}, 'house:revenue', 7, ${account}, 0, 'req' || i FROM n`);
  db.run(`${each(SETTLEMENTS)} INSERT INTO usage_records
    SELECT 'req' || i, ${account}, 'key', 0, 'm', 'up', '/', 'ok', 0, 1, 0, 0, 0, 1, 0, 0, NULL, 1, 7, 7, 0, 0, 1, '[]', NULL, NULL, NULL, NULL, 3, 0, 0, 0 FROM n`);
  db.run(`INSERT INTO usage_days SELECT account_id, (at + 28800000) / 86400000, key_id, model, channel, status, count(*),
    sum(input_tokens), 0, 0, 0, sum(output_tokens), 0, 0, sum(cost_nano), sum(upstream_nano), count(*), sum(cost_nano), 0, 0, 0 FROM usage_records GROUP BY 1, 2, 3, 4, 5, 6`);
  db.run(`${each(SETTLEMENTS)} INSERT INTO losses (request_id, at, day, account_id, model, channel, reason, amount_nano)
    SELECT 'req' || i, 0, 0, ${account}, 'm', 'up', 'empty_answer', 7 FROM n`);
  db.run(`INSERT INTO loss_days SELECT account_id, 0, sum(amount_nano), 0 FROM losses GROUP BY account_id`);
  const startedAt = performance.now();
  const { differences } = audit(db, {});
  expect(performance.now() - startedAt).toBeLessThan(WITHIN_MS);
  expect(differences.filter(({ what }) => what !== 'chain')).toEqual([]);
  db.close();
});
