// What the migration makes of wallets from before there was a paid part: free credit was spent first, whenever it came.

import { expect, test } from 'bun:test';
import { audit } from '../../src/store/sqlite/backup.ts';
import { migrate } from '../../src/store/sqlite/migrate.ts';
import { MIGRATIONS } from '../../src/store/sqlite/migrations/index.ts';
import { openDatabase } from '../../src/store/sqlite/open-database.ts';

/** Amounts in their order: spent below 0; `s` a sold card, `p` a promotion card, `c` a credit, `t` the trial. */
const HISTORIES: [history: string, paid: number, spent: number][] = [
  ['t10', 0, 0],
  ['t10 s100 -30', 80, 20],
  ['t10 s100 -50 p40', 60, 40],
  ['t10 s100 -50 c40 -45', 55, 45],
  ['s100 -100 c5 s7 -5', 7, 100],
  ['t10 -10 s5 -5', 0, 5],
];

const SIDES: Record<string, [kind: string, house: string]> = {
  t: ['trial', 'house:trial'],
  s: ['card', 'house:cards_sold'],
  p: ['card', 'house:cards_promo'],
  c: ['credit', 'house:credit'],
};

test('paid money of older wallets is what was not spent after free credit', () => {
  const db = openDatabase(':memory:', { unsafeNoSync: true });
  migrate(db, { migrations: MIGRATIONS.filter(({ version }) => version < 21) });
  for (const [number, [history]] of HISTORIES.entries()) {
    const account = `acc_${number}`;
    let balance = 0;
    const rows = history.split(' ').map((step, index) => {
      const isSpent = step.startsWith('-');
      const amount = Number(step.slice(1));
      const [kind, house] = (isSpent ? undefined : SIDES[step[0] ?? '']) ?? ['usage', 'house:revenue'];
      balance += isSpent ? -amount : amount;
      const sides = isSpent ? `'${account}', '${house}'` : `'${house}', '${account}'`;
      return `(1, '${kind}', ${sides}, ${amount}, '${account}', ${balance}, '${account}-${index}')`;
    });
    db.run(`INSERT INTO accounts VALUES ('${account}', 1)`);
    db.run(`INSERT INTO wallets (account_id, balance_nano, held_nano, in_flight, free_in_flight, frozen, touched_at)
      VALUES ('${account}', ${balance}, 0, 0, 0, 0, 0)`);
    db.run(`INSERT INTO entries (at, kind, debit, credit, amount_nano, account_id, balance_after_nano, reference)
      VALUES ${rows.join(', ')}`);
  }
  migrate(db);
  const found = db
    .query<{ paid_nano: bigint; paid_spent_nano: bigint }, []>(
      'SELECT paid_nano, paid_spent_nano FROM wallets ORDER BY account_id',
    )
    .all();
  expect(found.map((row) => [Number(row.paid_nano), Number(row.paid_spent_nano)])).toEqual(
    HISTORIES.map(([, paid, spent]) => [paid, spent]),
  );
  expect(audit(db, {}).differences.filter(({ what }) => what === 'paid')).toEqual([]);
  db.close();
});

test('accounts that were frozen before by the audit are marked, and those that an operator froze are not', () => {
  const db = openDatabase(':memory:', { unsafeNoSync: true });
  migrate(db, { migrations: MIGRATIONS.filter(({ version }) => version < 23) });
  const histories: [account: string, frozen: 0 | 1, actions: string[]][] = [
    ['acc_audit', 1, []],
    ['acc_operator', 1, ['freeze']],
    ['acc_again', 1, ['freeze', 'thaw']],
    ['acc_twice', 1, ['freeze', 'thaw', 'freeze']],
    ['acc_open', 0, ['freeze', 'thaw']],
  ];
  for (const [account, frozen, actions] of histories) {
    db.run(`INSERT INTO accounts VALUES ('${account}', 1)`);
    db.run(`INSERT INTO wallets (account_id, balance_nano, held_nano, in_flight, free_in_flight, frozen, touched_at)
      VALUES ('${account}', 0, 0, 0, 0, ${frozen}, 0)`);
    for (const action of actions) {
      db.run(`INSERT INTO audit_log (at, actor, action, subject, detail)
        VALUES (1, 'cli', 'accounts.${action}', '${account}', '{}')`);
    }
  }
  migrate(db);
  const marked = db
    .query<{ name: string }, []>(`SELECT name FROM settings WHERE name LIKE 'frozen%' ORDER BY name`)
    .all();
  expect(marked.map(({ name }) => name)).toEqual(['frozen_by_audit:acc_again', 'frozen_by_audit:acc_audit']);
  db.close();
});
