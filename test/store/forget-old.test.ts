// What the embedded database forgets every ten minutes holds up no commit: of the windows only those of addresses are looked at.

import { expect, test } from 'bun:test';
import { forgetOld, OF_ADDRESSES_BY_BYTES } from '../../src/store/forget-old.ts';
import { migrate } from '../../src/store/sqlite/migrate.ts';
import { openDatabase } from '../../src/store/sqlite/open-database.ts';

const ADDRESSES = ['free:address:a', 'redeem:address:', 'register:address:~'];
const OTHERS = [
  'free:acc_1',
  'free:address',
  'free:address;',
  'free:addressee',
  'paid:acc_1',
  'redeem:acc_1',
  'register:site',
];
const NOW = 1_000;

function withWindows() {
  const db = openDatabase(':memory:', { unsafeNoSync: true });
  migrate(db);
  const insert = db.prepare<unknown, [string, number]>("INSERT INTO windows VALUES (?, '[]', 0, 0, ?)");
  for (const id of [...ADDRESSES, ...OTHERS]) insert.run(id, NOW);
  return db;
}

test.each([
  ['by the order of bytes', OF_ADDRESSES_BY_BYTES],
  ['by their look', undefined],
])('old windows of addresses are forgotten and no others, found %s', (_, ofAddresses) => {
  const db = withWindows();
  const left = () =>
    db
      .query<{ id: string }, []>('SELECT window_id AS id FROM windows')
      .all()
      .map(({ id }) => id);
  for (const deletion of forgetOld('?', ofAddresses)) db.query(deletion).run(NOW);
  expect(left()).toEqual([...ADDRESSES, ...OTHERS].sort());
  for (const deletion of forgetOld('?', ofAddresses)) db.query(deletion).run(NOW + 1);
  expect(left()).toEqual([...OTHERS].sort());
  db.close();
});

test('windows of accounts are not looked at', () => {
  const db = withWindows();
  const deletions = forgetOld('0', OF_ADDRESSES_BY_BYTES).filter((sql) => sql.includes('FROM windows'));
  const plans = deletions.map((sql) => db.query<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${sql}`).all());
  const searched = [{ detail: 'SEARCH windows USING PRIMARY KEY (window_id>? AND window_id<?)' }];
  expect(plans.map((plan) => plan.map(({ detail }) => ({ detail })))).toEqual([searched, searched, searched]);
  db.close();
});
