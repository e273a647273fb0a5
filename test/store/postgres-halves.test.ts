// A batch that the database refuses is tried in halves, and each is answered by itself: if the database goes away in
// between, the rest may be asked for again.

import { expect, test } from 'bun:test';
import { SQL } from 'bun';
import type { Operation } from '../../src/store/operations.ts';
import { commitBatch } from '../../src/store/postgres/commit-batch.ts';
import { NoAnswer } from '../../src/store/postgres/errors.ts';
import type { Writer } from '../../src/store/postgres/writer.ts';
import { paid, settling } from './suite/samples.ts';

const ACCOUNT = { accountId: 'acc_1', keyId: 'key_1' };
const settle = (): Operation => ({ name: 'settle', input: settling(paid(ACCOUNT), 1n) });
const refused = () => new SQL.PostgresError('a row is refused', { code: 'ERR_POSTGRES_SERVER_ERROR', errno: '23514' });

test('only what is refused by itself is called wrong', async () => {
  const [fine, bad, unheard] = [settle(), settle(), settle()];
  const writer: Writer = {
    async transact(operations) {
      if (operations.includes(bad)) throw refused();
      if (operations.includes(unheard)) throw new NoAnswer('the database is away');
      return operations.map(() => ({ ok: true, result: { state: 'late' } }));
    },
    findLocked: async () => new Set(),
    close: async () => {},
  };
  expect(await commitBatch(writer, [fine, bad, unheard])).toEqual([
    { ok: true, result: { state: 'late' } },
    { ok: false, error: 'a database constraint refused the operation' },
    { ok: false, error: 'the database is away', unavailable: true },
  ]);
});
