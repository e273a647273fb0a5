// A node of `npm run bench:scale`: a store on PostgreSQL on which so many calls are in flight at once, each a hold and then
// its settlement. Its parent controls it over IPC.

import { systemClock } from '../../src/kit/clock.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import type { Store } from '../../src/store/store.ts';
import { quantile } from '../speed/statistics.ts';
import { ACCOUNTS, newRequest, settlement } from './pairs.ts';

export type NodeCommand =
  | { open: { url: string; nodeId: string } }
  | { run: { inFlight: number; forMs: number } }
  | 'close';

export interface NodeReport {
  calls: number;
  /** Transactions, which have two round trips each. */
  batches: number;
  operations: number;
  cpuMs: number;
  /** From the request for a hold until it was committed. */
  admitP50Ms: number;
  admitP99Ms: number;
}

/** Other work of the machine must not refuse a call. */
const PATIENCE_MS = 60_000;
const LEASE_MS = 86_400_000;

let store: Store | undefined;
let nodeId = '';
let batches = 0;
let operations = 0;

async function open(url: string): Promise<Store> {
  const opened = await openPostgresStore({
    url,
    clock: systemClock,
    patienceMs: PATIENCE_MS,
    meter(batch) {
      batches++;
      operations += batch.operations;
    },
  });
  await opened.commit('lease', { nodeId, host: 'bench', pid: process.pid, expiresAt: Date.now() + LEASE_MS });
  return opened;
}

async function run({ commit }: Store, inFlight: number, forMs: number): Promise<NodeReport> {
  const before = { batches, operations, cpu: process.cpuUsage() };
  const times: number[] = [];
  const until = performance.now() + forMs;
  async function call(): Promise<void> {
    const request = newRequest(nodeId, Math.floor(Math.random() * ACCOUNTS));
    const startedAt = performance.now();
    const admitted = await commit('admit', request);
    times.push(performance.now() - startedAt);
    if (!admitted.ok) throw new Error(`a hold was refused: ${admitted.reason}`);
    const { state } = await commit('settle', settlement(request));
    if (state !== 'closed') throw new Error(`a settlement was refused: ${state}`);
  }
  const worker = async () => {
    while (performance.now() < until) await call();
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
  const { user, system } = process.cpuUsage(before.cpu);
  return {
    calls: times.length,
    batches: batches - before.batches,
    operations: operations - before.operations,
    cpuMs: (user + system) / 1000,
    admitP50Ms: quantile(times, 0.5),
    admitP99Ms: quantile(times, 0.99),
  };
}

async function obey(command: NodeCommand): Promise<NodeReport | undefined> {
  if (command === 'close') await store?.close();
  else if ('open' in command) {
    ({ nodeId } = command.open);
    store = await open(command.open.url);
  } else if (store) return run(store, command.run.inFlight, command.run.forMs);
  return undefined;
}

process.on('message', async (command: NodeCommand) => {
  process.send?.((await obey(command)) ?? {});
  if (command === 'close') process.exit(0);
});
process.send?.({});
