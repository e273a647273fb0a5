// Receipts of requests from before prices had rules are what they were, after the database was upgraded.

import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../../src/store/sqlite/open-database.ts';
import type { Answer } from '../support/answer.ts';
import { startTestGateway } from '../support/gateway.ts';
import { chatAnswer } from '../support/openai-chat.ts';
import { type TestDocument, UP_PRICES } from '../support/test-document.ts';

/** The database as the version before would have left it. */
function takeBack(file: string): void {
  const db = openDatabase(file);
  db.run('ALTER TABLE usage_records DROP COLUMN service_tier');
  db.run('ALTER TABLE usage_records DROP COLUMN tool_calls');
  db.run(`DELETE FROM schema_migrations WHERE name = 'price-rules'`);
  db.run('DELETE FROM leases');
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
