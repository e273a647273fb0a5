// The gateway of the soak, in a process that does nothing else: what it holds is the gateway's. It obeys by IPC.

import { heapStats } from 'bun:jsc';
import { readdirSync, readlinkSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { MINUTE_MS } from '../../src/kit/clock.ts';
import { readSettings } from '../../src/server/settings/settings.ts';
import { startGateway } from '../../src/server/start/start-gateway.ts';
import { createSkippingClock } from './skipping-clock.ts';

export type Order = { name: 'measure' } | { name: 'reload' } | { name: 'skip'; ms: number } | { name: 'stop' };

export interface Held {
  /** Of the gateway's clock. */
  now: number;
  residentMb: number;
  /** Of the embedded database, which SQLite keeps in memory up to a bound; 0 with PostgreSQL. */
  databaseMb: number;
  heapMb: number;
  objects: number;
  descriptors: number;
  sockets: number;
  timers: number;
  /** Of all threads, since the start. */
  cpuMs: number;
}

/** Jobs that delete what is old begin again so long after their end, or longer. */
const PAUSE_OF_JOBS_MS = 10 * MINUTE_MS;
const JOBS_END_MS = 5_000;
/** A machine with other work must not decide which calls are refused. */
const PATIENCE_MS = 2 ** 31 - 1;
const MB = 1024 * 1024;
const DATABASE_FILE = join(process.env.DATA_DIR ?? '', 'gateway.sqlite');

const clock = createSkippingClock();
const errors: string[] = [];
const gateway = await startGateway(readSettings(process.env), {
  fetch: globalThis.fetch,
  clock,
  demoPaceMs: 0,
  patienceMs: PATIENCE_MS,
  writeLog(line) {
    if (line.includes('"internal_error"')) errors.push(line);
  },
});

function openDescriptors(): string[] {
  return readdirSync('/proc/self/fd').flatMap((name) => {
    try {
      return [readlinkSync(`/proc/self/fd/${name}`)];
    } catch {
      // The one that listed the folder.
      return [];
    }
  });
}

async function measure(): Promise<Held> {
  const { user, system } = process.cpuUsage();
  for (let times = 0; times < 3; times++) {
    Bun.gc(true);
    await Bun.sleep(20);
  }
  const descriptors = openDescriptors();
  const { heapSize, objectCount } = heapStats();
  return {
    now: clock.now(),
    residentMb: process.memoryUsage.rss() / MB,
    databaseMb: (statSync(DATABASE_FILE, { throwIfNoEntry: false })?.size ?? 0) / MB,
    heapMb: heapSize / MB,
    objects: objectCount,
    descriptors: descriptors.length,
    sockets: descriptors.filter((target) => target.startsWith('socket:')).length,
    timers: clock.pending(),
    cpuMs: (user + system) / 1000,
  };
}

/** Until the jobs have ended that it starts: the next skip would let the time limits of their queries pass. */
async function skip(ms: number): Promise<void> {
  const before = clock.pending(PAUSE_OF_JOBS_MS);
  clock.skip(ms);
  const until = performance.now() + JOBS_END_MS;
  while (clock.pending(PAUSE_OF_JOBS_MS) < before && performance.now() < until) await Bun.sleep(20);
}

async function obey(order: Order): Promise<unknown> {
  if (order.name === 'measure') return measure();
  if (order.name === 'reload') await gateway.reload();
  if (order.name === 'skip') await skip(order.ms);
  if (order.name === 'stop') await gateway.drain(0);
  return { errors: errors.splice(0) };
}

process.on('message', async (order: Order) => {
  process.send?.(await obey(order));
  if (order.name === 'stop') process.exit(0);
});
process.on('disconnect', () => process.exit(1));
process.send?.({ url: gateway.url, adminUrl: gateway.adminUrl });
