// `npm run bench:scale`: calls per second (a hold and its settlement, both committed with fsync) on one PostgreSQL, by the
// number of nodes and by how many calls each has in flight. Each node is a process with a store; nothing else of a call is
// done. Options: --nodes N,N, --in-flight N,N, --rounds N, --seconds N (of each measurement), --record.

import { parseArgs } from 'node:util';
import { recordFigures } from '../scripts/record-figures.ts';
import { systemClock } from '../src/kit/clock.ts';
import { openPostgresStore } from '../src/store/postgres/postgres-store.ts';
import { startPostgres } from '../test/support/postgres.ts';
import type { NodeCommand, NodeReport } from './ledger/node.ts';
import { ACCOUNTS, accountOf, COST, registration, TRIAL } from './ledger/pairs.ts';
import { describeMachine } from './speed/machine.ts';
import { familyOf, nameOf, spentUs, threadTimes } from './speed/processes.ts';
import { createStage, type Helper } from './speed/stage.ts';
import { median } from './speed/statistics.ts';

interface Measured {
  /** Of all nodes together, per second. */
  calls: number;
  /** Operations per transaction. */
  batch: number;
  roundTrips: number;
  nodeCpuUs: number;
  databaseCpuUs: number;
  /** What the database wrote ahead of its tables. */
  walBytes: number;
  admitP50Ms: number;
  admitP99Ms: number;
}

type Node = Helper<NodeCommand, NodeReport>;

const SIZE = 'SELECT pg_database_size(current_database()) AS bytes';
const REGISTERED_AT_ONCE = 100;
const ROUND_TRIPS_PER_BATCH = 2;

const { values } = parseArgs({
  options: {
    nodes: { type: 'string', default: '1,2,4' },
    'in-flight': { type: 'string', default: '1,16,64,256' },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '2' },
    record: { type: 'boolean', default: false },
  },
});
const numbers = (text: string) => text.split(',').map(Number);
const forMs = Number(values.seconds) * 1000;

const databasePids = () => familyOf(process.pid).filter((pid) => nameOf(pid) === 'postgres');

async function measure(nodes: readonly Node[], inFlight: number, walAt: () => Promise<number>): Promise<Measured> {
  const walBefore = await walAt();
  const pids = databasePids();
  const before = threadTimes(pids);
  const startedAt = performance.now();
  const reports = await Promise.all(nodes.map((node) => node.ask({ run: { inFlight, forMs } })));
  const seconds = (performance.now() - startedAt) / 1000;
  const sum = (of: (report: NodeReport) => number) => reports.reduce((total, report) => total + of(report), 0);
  const calls = sum((report) => report.calls);
  return {
    calls: calls / seconds,
    batch: sum((report) => report.operations) / sum((report) => report.batches),
    roundTrips: (ROUND_TRIPS_PER_BATCH * sum((report) => report.batches)) / calls,
    nodeCpuUs: (sum((report) => report.cpuMs) * 1000) / calls,
    databaseCpuUs: spentUs(before, threadTimes(pids)) / calls,
    walBytes: ((await walAt()) - walBefore) / calls,
    admitP50Ms: median(reports.map((report) => report.admitP50Ms)),
    admitP99Ms: Math.max(...reports.map((report) => report.admitP99Ms)),
  };
}

function medians(rounds: readonly Measured[]): Measured {
  const of = (name: keyof Measured) => median(rounds.map((round) => round[name]));
  return {
    calls: of('calls'),
    batch: of('batch'),
    roundTrips: of('roundTrips'),
    nodeCpuUs: of('nodeCpuUs'),
    databaseCpuUs: of('databaseCpuUs'),
    walBytes: of('walBytes'),
    admitP50Ms: of('admitP50Ms'),
    admitP99Ms: of('admitP99Ms'),
  };
}

function row(count: number, inFlight: number, measured: Measured): string {
  const { calls, batch, roundTrips, nodeCpuUs, databaseCpuUs, walBytes, admitP50Ms, admitP99Ms } = measured;
  const cells = [
    ...[
      String(count),
      String(inFlight),
      Math.round(calls).toLocaleString('en'),
      batch.toFixed(1),
      roundTrips.toFixed(2),
    ],
    ...[nodeCpuUs, databaseCpuUs, walBytes].map((value) => Math.round(value).toLocaleString('en')),
    `${admitP50Ms.toFixed(1)} / ${admitP99Ms.toFixed(1)}`,
  ];
  return `| ${cells.join(' | ')} |`;
}

const HEADER = `| nodes | in flight per node | calls per second | operations per transaction | round trips per call | CPU per call, node, µs | CPU per call, database, µs | WAL per call, bytes | hold committed, p50 / p99, ms |
| --: | --: | --: | --: | --: | --: | --: | --: | --: |`;

if (process.platform !== 'linux') throw new Error('the bench reads /proc, which only Linux has');
const stage = createStage();
try {
  const server = await startPostgres();
  stage.onEnd(() => server.stop());
  const { url, sql } = await server.createDatabase();
  const store = await openPostgresStore({ url, clock: systemClock });
  for (let first = 0; first < ACCOUNTS; first += REGISTERED_AT_ONCE) {
    const inputs = Array.from({ length: REGISTERED_AT_ONCE }, (_, index) =>
      registration(accountOf(first + index), Date.now()),
    );
    await Promise.all(inputs.map((input) => store.commit('register', input)));
  }
  await store.close();

  const walAt = async () => {
    const [row] = await sql<{ bytes: string }>("SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::text AS bytes");
    return Number(row?.bytes);
  };
  const sizeOf = async () => Number((await sql<{ bytes: bigint }>(SIZE))[0]?.bytes);
  const sizeBefore = await sizeOf();
  const counts = numbers(values.nodes);
  const nodes: Node[] = [];
  while (nodes.length < Math.max(...counts)) {
    const node = await stage.startHelper<NodeCommand, NodeReport>('../ledger/node.ts');
    await node.ask({ open: { url, nodeId: `node_${nodes.length}` } });
    nodes.push(node);
  }
  const results = new Map<string, Measured[]>();
  // The first round only warms up. All combinations take turns, so that a slow moment of the machine affects all of them.
  for (let round = -1; round < Number(values.rounds); round++) {
    for (const count of counts) {
      for (const inFlight of numbers(values['in-flight'])) {
        const measured = await measure(nodes.slice(0, count), inFlight, walAt);
        const key = `${count}/${inFlight}`;
        if (round >= 0) results.set(key, [...(results.get(key) ?? []), measured]);
      }
    }
  }
  const [sums] = await sql<{ spent: string; calls: bigint; open: bigint }>(
    `SELECT (${TRIAL}::numeric * ${ACCOUNTS} - sum(balance_nano))::text AS spent,
      (SELECT count(*) FROM usage_records) AS calls, (SELECT count(*) FROM holds) AS open FROM wallets`,
  );
  if (BigInt(sums?.spent ?? -1) !== COST * (sums?.calls ?? 0n)) throw new Error('the balances do not match the calls');
  if (sums?.open !== 0n) throw new Error(`${sums?.open} holds are open`);
  for (const node of nodes) await node.ask('close');

  const storedBytes = ((await sizeOf()) - sizeBefore) / Number(sums?.calls ?? 0n);
  console.log(`${describeMachine()}: medians of ${values.rounds} rounds; every sum is right\n\n${HEADER}`);
  const measured = [...results].map(([key, rounds]) => ({ key, ...medians(rounds) }));
  for (const { key, ...figures } of measured) {
    const [count = 0, inFlight = 0] = key.split('/').map(Number);
    console.log(row(count, inFlight, figures));
  }
  console.log(`\nThe database grew by ${Math.round(storedBytes)} bytes per call, over ${sums?.calls} calls.`);
  if (values.record) {
    const best = measured.reduce((most, one) => (one.calls > most.calls ? one : most));
    recordFigures(
      'scale',
      `npm run bench:scale -- --nodes ${values.nodes} --in-flight ${values['in-flight']} --seconds ${values.seconds}`,
      {
        'calls per second on one PostgreSQL, at most': Math.round(best.calls).toLocaleString('en'),
        'nodes and calls in flight per node then': best.key.replace('/', ' × '),
        'round trips per call then': best.roundTrips.toFixed(2),
        'CPU per call of the database then': `${Math.round(best.databaseCpuUs)} µs`,
        'CPU per call of the nodes, store only, then': `${Math.round(best.nodeCpuUs)} µs`,
        'WAL per call then': `${Math.round(best.walBytes).toLocaleString('en')} bytes`,
        'database growth per call': `${Math.round(storedBytes).toLocaleString('en')} bytes`,
        'calls per second with one call in flight': Math.round(measured[0]?.calls ?? 0).toLocaleString('en'),
      },
    );
  }
} finally {
  await stage.end();
}
process.exit();
