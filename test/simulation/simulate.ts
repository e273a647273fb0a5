// One run of the simulation: a service of several nodes, its customers, its vendors and its failures for a while of
// virtual time, then rest, then the final check.

import { createCardCode, createCardHasher, createSerial } from '../../src/accounts/card-code.ts';
import { checkAtRest, checkMeanwhile, findCrashes } from './check.ts';
import { findUndelivered } from './check-webhooks.ts';
import { Clients } from './clients.ts';
import { Cluster, PEPPER } from './cluster.ts';
import { DATABASE_LIVES, type InjectedFailure, isOutside } from './failure-kinds.ts';
import { drawFailures, FailureInjector } from './inject-failures.ts';
import { type Violation, violations } from './violation.ts';
import { World } from './world.ts';

export interface SimulationOptions {
  seed: number;
  /** Virtual minutes of calls. */
  minutes?: number;
  clients?: number;
  /** In place of what the seed would draw. */
  failures?: readonly InjectedFailure[];
}

export interface SimulationReport {
  seed: number;
  violations: Violation[];
  /** The service or the simulation has failed, which proves nothing about an invariant. */
  crashes: string[];
  failures: readonly InjectedFailure[];
  virtualMs: number;
  events: number;
  /** A hash of all that happened. */
  trace: string;
  counts: Clients['counts'];
  /** How often the run came to what is rare. */
  reached: Record<string, number>;
}

const START = Date.UTC(2026, 0, 15, 4, 0, 0);
/** A minute before midnight in Taipei, on the last day of a month. */
const LATE_START = Date.UTC(2026, 0, 31, 15, 59, 0);
const MINUTE_MS = 60_000;
const CHECK_EVERY_MS = 5_000;
/** Between two failures, on average. */
const FAILURE_MS = 6_000;
const CARDS = 200;
const CARD_AMOUNT = 300_000_000n;
/** Longer than a lease, the grace after it, and two sweeps. */
const REST_MS = 3 * MINUTE_MS;
const LONGEST_MS = 20 * MINUTE_MS;
/** After so long, every message has been sent that receivers refuse at most twice. */
const MESSAGE_MS = 3 * MINUTE_MS;
const NODES = 3;
const CALLS_END = 'every call ends';

export async function simulate(options: SimulationOptions): Promise<SimulationReport> {
  const { seed, minutes = 5, clients: count = 6 } = options;
  const isEmbedded = seed % 3 === 0;
  const nodes = isEmbedded ? 1 : NODES;
  const world = new World(seed, seed % 2 === 1 ? LATE_START : START);
  const until = minutes * MINUTE_MS;
  const failures = options.failures ?? drawFailures(world.diceFor('injector'), drawFor(seed, nodes, until));
  const broken: Violation[] = [];
  const crashes: string[] = [];
  const cluster = new Cluster(world, nodes, isEmbedded);
  const injector = new FailureInjector(world, cluster, (crash) => crashes.push(crash));
  const started = begin(cluster, nodes).then((cards) => {
    const loss = () => injector.networkLoss;
    const begun = new Clients(world, cluster, { clients: count, cards, until, loss });
    begun.start();
    return begun;
  });
  started.catch((error: Error) => crashes.push(`no start: ${error.stack}`));
  let clients: Clients | undefined;
  void started.then(
    (begun) => {
      clients = begun;
    },
    () => {},
  );
  await world.run(() => clients !== undefined || crashes.length > 0, MINUTE_MS);
  if (!clients) {
    if (crashes.length === 0) crashes.push('the nodes did not start');
    return report(undefined);
  }
  const customers = clients;
  injector.plan(failures);
  const watch = () => {
    broken.push(...checkMeanwhile(cluster, failures));
    crashes.push(...findCrashes(cluster));
    world.after(CHECK_EVERY_MS, watch);
  };
  watch();
  const isFailed = () => [broken, crashes, customers.violations, customers.crashes].some((found) => found.length > 0);
  await world.run(isFailed, until);
  injector.heal();
  if (!isFailed()) await world.run(() => isFailed() || customers.areDone, until + LONGEST_MS);
  if (!isFailed() && !customers.areDone) broken.push(...violations(CALLS_END, ['calls of clients']));
  if (!isFailed()) await world.run(isFailed, world.now + REST_MS);
  // A repeated message waits by the clock of one node, which may be ahead of that of another.
  const latest = world.now + MESSAGE_MS + sum(failures.map((one) => (one.what === 'clock' ? Math.abs(one.ms) : 0)));
  while (!isFailed() && world.now < latest && findUndelivered(cluster).length > 0) {
    await world.run(isFailed, Math.min(latest, world.now + CHECK_EVERY_MS));
  }
  if (!isFailed()) {
    let isTried = false;
    void customers.tryAll().then(() => {
      isTried = true;
    });
    await world.run(() => isFailed() || isTried, world.now + MINUTE_MS);
    if (!isFailed() && !isTried) broken.push(...violations(CALLS_END, ['a call after all faults']));
  }
  if (!isFailed()) {
    broken.push(...checkAtRest(cluster, customers, failures));
    crashes.push(...findCrashes(cluster));
    // Such a run proves nothing, and a bug of the simulated clients may be the reason.
    if (!isFailed() && customers.counts.served === 0) crashes.push('no model call was served');
  }
  return report(customers);

  function report(of: Clients | undefined): SimulationReport {
    const counts = of?.counts ?? { calls: 0, whole: 0, served: 0, faults: 0, broken: 0 };
    world.note(JSON.stringify(counts));
    const { now: virtualMs, happened: events, trace } = world;
    return {
      seed,
      violations: [...broken, ...(of?.violations ?? [])],
      crashes: [...crashes, ...(of?.crashes ?? [])],
      ...{ failures, virtualMs, events, trace, counts },
      reached: { ...cluster.database.reached, ...of?.reached },
    };
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function drawFor(seed: number, places: number, until: number) {
  const draw = { places, until, meanMs: FAILURE_MS, isDrawn: (_: InjectedFailure['what']) => true };
  if (seed % 4 === 2) return { ...draw, isDrawn: (what: InjectedFailure['what']) => isOutside({ what }) };
  // As many as with those that are left out.
  if (seed % 4 === 3)
    return { ...draw, meanMs: FAILURE_MS / 2, isDrawn: (what: InjectedFailure['what']) => DATABASE_LIVES.has(what) };
  return draw;
}

/** The cards that customers will redeem. */
async function begin(cluster: Cluster, nodes: number): Promise<string[]> {
  await cluster.prepare();
  for (let place = 0; place < nodes; place++) await cluster.start(place);
  const [node] = cluster.alive();
  if (!node) throw new Error('there is no node');
  const { random, clock } = node.machine;
  const hash = createCardHasher(PEPPER);
  const codes = Array.from({ length: CARDS }, () => createCardCode(random));
  await node.gateway.store.commit('issue', {
    batch: {
      batchId: 'batch_simulated',
      kind: 'sold',
      amount: CARD_AMOUNT,
      count: CARDS,
      expiresAt: null,
      note: null,
      createdAt: clock.now(),
    },
    cards: codes.map((code) => ({ hash: hash(code), serial: createSerial(random) })),
  });
  return codes;
}
