// Receipts of requests from before prices had rules are what they were, after the database was upgraded.

import { expect, test } from 'bun:test';
import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { columnsOf } from '../../src/store/sqlite/inspect.ts';
import { migrate } from '../../src/store/sqlite/migrate.ts';
import { MIGRATIONS } from '../../src/store/sqlite/migrations/index.ts';
import { openDatabase } from '../../src/store/sqlite/open-database.ts';
import type { Answer } from '../support/answer.ts';
import { startTestGateway } from '../support/gateway.ts';
import { chatAnswer } from '../support/openai-chat.ts';
import { type TestDocument, UP_PRICES } from '../support/test-document.ts';

/** The database as the version before would have left it: its tables, and of every row what they have. */
function takeBack(file: string): void {
  const newer = `${file}.newer`;
  renameSync(file, newer);
  const db = openDatabase(file);
  const migrations = MIGRATIONS.slice(
    0,
    MIGRATIONS.findIndex(({ name }) => name === 'price-rules'),
  );
  migrate(db, { migrations });
  db.run('PRAGMA foreign_keys = OFF');
  db.run('ATTACH ? AS newer', [newer]);
  const tables = db.query<{ name: string }, []>("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  for (const { name } of tables) {
    if (name.startsWith('sqlite_') || name === 'schema_migrations' || name === 'leases') continue;
    const columns = columnsOf(db, name).map((column) => column.name);
    db.run(`DELETE FROM main.${name}`);
    db.run(`INSERT INTO main.${name} (${columns.join()}) SELECT ${columns.join()} FROM newer.${name}`);
  }
  db.close();
}

const withRules = (standard: TestDocument): TestDocument => ({
  ...standard,
  models: standard.models.map((model) =>
    model.id === 'up-paid'
      ? { ...model, price: { input: 1, output: 1, tiers: [{ from_input_tokens: 1, input: 99, output: 99 }] } }
      : model,
  ),
});

test('an old receipt keeps its lines', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'gateway-before-rules-'));
  try {
    const before = await startTestGateway({ dataDir });
    const { key } = await before.register();
    before.upstream.next(chatAnswer());
    const response = await before.chat(key, { model: 'up-paid', max_tokens: 20 });
    await response.text();
    const path = `/api/receipts/${response.headers.get('x-request-id')}`;
    const old: Answer = await before.get(path, key);
    await before.stop();
    takeBack(join(dataDir, 'gateway.sqlite'));

    const after = await startTestGateway({ dataDir, document: withRules });
    expect(await after.get(path, key)).toEqual(old);
    expect(old.lines).toEqual([line('input', 11, UP_PRICES.input), line('output', 7, UP_PRICES.output)]);
    expect(old.cost_nano).toBe((11n * UP_PRICES.input + 7n * UP_PRICES.output).toString());
    await after.stop();
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
});

function line(bucket: string, quantity: number, price: bigint) {
  return {
    ...{ bucket, quantity, unit_price_nano: price.toString() },
    amount_nano: (BigInt(quantity) * price).toString(),
  };
}
