// A process that calls with the keys of a tree until it is killed. Its arguments: a database, and a file with the calls.

import { readFileSync } from 'node:fs';
import { systemClock } from '../../../src/kit/clock.ts';
import type { AdmitInput } from '../../../src/store/operations.ts';
import { openPostgresStore } from '../../../src/store/postgres/postgres-store.ts';
import { openSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { settling } from '../suite/samples.ts';

const [, , database = '', file = ''] = process.argv;
const WORKERS = 64;
const SAY_AFTER = 200;

const store = database.startsWith('postgres:')
  ? await openPostgresStore({ url: database, clock: systemClock })
  : await openSqliteStore({ file: database, clock: systemClock });
const calls = JSON.parse(readFileSync(file, 'utf8'), (name, value) =>
  ['base', 'unit'].includes(name) ? BigInt(value) : value,
) as AdmitInput[];
let count = 0;
let closed = 0;

async function work(): Promise<never> {
  for (;;) {
    const number = count++;
    const input = { ...(calls[number % calls.length] as AdmitInput), requestId: `req_${process.pid}_${number}` };
    const result = await store.commit('admit', input);
    if (!result.ok) continue;
    // Little enough that the budgets last.
    await store.commit('settle', settling(input, number % 10 === 0 ? 1n : 0n));
    if (++closed === SAY_AFTER) console.log('busy');
  }
}

for (let worker = 0; worker < WORKERS; worker++) void work();
