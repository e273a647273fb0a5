// What goes wrong, and when: drawn from the seed before the beginning, so that a failing run can be repeated with less of
// it until only what matters is left.

import type { Cluster, SimulatedNode } from './cluster.ts';
import { type DatabaseState, WELL } from './database.ts';
import type { Dice } from './dice.ts';
import type { InjectedFailure } from './failure-kinds.ts';
import { PROBLEMS, VENDORS } from './vendors.ts';
import type { World } from './world.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
/** How long a pause waits for a call, and how often it looks. */
const BUSY_WITHIN_MS = 10 * SECOND;
const LOOK_MS = 50;
const POWER_CUT_MS = 5 * SECOND;

interface Draw {
  places: number;
  until: number;
  /** Between two failures, on average. */
  meanMs: number;
  /** Others are left out. */
  isDrawn(what: InjectedFailure['what']): boolean;
}

export function drawFailures(dice: Dice, draw: Draw): InjectedFailure[] {
  const failures: InjectedFailure[] = [];
  for (let at = dice.between(0, draw.meanMs); at < draw.until; at += dice.between(1, 2 * draw.meanMs)) {
    const failure = drawOne(dice, draw.places);
    if (draw.isDrawn(failure.what)) failures.push({ at, ...failure } as InjectedFailure);
  }
  return failures;
}

type Unplanned = InjectedFailure extends infer One ? (One extends { at: number } ? Omit<One, 'at'> : never) : never;

function drawOne(dice: Dice, places: number): Unplanned {
  const place = dice.between(0, places - 1);
  const choice = dice.between(0, 99);
  if (choice < 12) return { what: 'crash', place, ms: dice.between(100, 100 * SECOND) };
  if (choice < 17) return { what: 'restart', place, ms: dice.between(100, 10 * SECOND) };
  // Some beyond the lease, and beyond the time after which its holds are given back.
  if (choice < 27) {
    const ms = dice.pick([2, 20, 90, 120]) * SECOND;
    return { what: 'pause', place, ms, isBusy: dice.isLuck(0.7) };
  }
  if (choice < 33) return { what: 'clock', place, ms: dice.between(-20, 20) * dice.pick([SECOND, MINUTE]) };
  if (choice < 55) return { what: 'database', problem: drawDatabase(dice), ms: dice.between(100, 40 * SECOND) };
  if (choice < 57) return { what: 'database crash' };
  if (choice < 59) return { what: 'power loss' };
  if (choice < 67) return { what: 'network', ms: dice.between(1, 60) * SECOND, loss: dice.pick([0.05, 0.3]) };
  if (choice < 95) {
    const [vendor, problem] = [dice.pick(VENDORS), dice.pick(PROBLEMS)];
    return { what: 'vendor', vendor, problem, ms: dice.between(1, 60) * SECOND };
  }
  return { what: 'document', place, edition: dice.between(0, 5) };
}

function drawDatabase(dice: Dice): Partial<DatabaseState> {
  const choice = dice.between(0, 11);
  if (choice < 2) return { isAway: true };
  if (choice < 3) return { isFull: true };
  if (choice < 6) return { slowness: dice.pick([50, 500, 4_000]) };
  if (choice < 7) return { failures: dice.pick([0.05, 0.5]) };
  if (choice < 10) return { lateness: dice.pick([0.05, 0.3]) };
  return { loss: dice.pick([0.02, 0.2, 0.6]) };
}

export class FailureInjector {
  networkLoss = 0;
  readonly #world: World;
  readonly #cluster: Cluster;
  readonly #onCrash: (crash: string) => void;
  #isOver = false;

  constructor(world: World, cluster: Cluster, onCrash: (crash: string) => void) {
    this.#world = world;
    this.#cluster = cluster;
    this.#onCrash = onCrash;
  }

  plan(failures: readonly InjectedFailure[]): void {
    for (const failure of failures) {
      this.#world.after(failure.at - this.#world.now, () => {
        if (this.#isOver) return;
        this.#world.note(failure.what);
        this.#happen(failure);
      });
    }
  }

  /** Everything works again; a node that is away comes back. */
  heal(): void {
    this.#isOver = true;
    Object.assign(this.#cluster.database.state, WELL);
    this.#cluster.vendors.problem.clear();
    this.networkLoss = 0;
    this.#cluster.nodes.forEach((node, place) => {
      node?.machine.goOn();
      if (!node) this.#startSoon(place, 1, 0);
    });
  }

  #happen(failure: InjectedFailure): void {
    const { vendors, database } = this.#cluster;
    if ('place' in failure) this.#happenToNode(failure);
    else if (failure.what === 'vendor') {
      vendors.problem.set(failure.vendor, failure.problem);
      this.#world.after(failure.ms, () => void vendors.problem.delete(failure.vendor));
    } else if (failure.what === 'network') {
      this.networkLoss = failure.loss;
      this.#world.after(failure.ms, () => {
        this.networkLoss = 0;
      });
    } else if (failure.what === 'database crash') this.#crashDatabase(() => database.restart());
    else if (failure.what === 'power loss') this.#crashDatabase(() => database.losePower());
    else {
      Object.assign(database.state, failure.problem);
      this.#world.after(failure.ms, () => void Object.assign(database.state, WELL));
    }
  }

  /** The process of an embedded one crashes with it. */
  #crashDatabase(crash: () => void): void {
    if (this.#cluster.isEmbedded) {
      this.#happenToNode({ at: this.#world.now, what: 'crash', place: 0, ms: POWER_CUT_MS });
    }
    crash();
  }

  #happenToNode(failure: InjectedFailure & { place: number }): void {
    const { place } = failure;
    const { nodes } = this.#cluster;
    const node = nodes[place];
    if (!node) return;
    const { machine, gateway } = node;
    if (failure.what === 'pause') this.#pause(node, failure);
    else if (failure.what === 'clock') machine.stepClock(failure.ms);
    else if (failure.what === 'restart') this.#drain(node, place, failure.ms);
    else if (failure.what === 'crash') {
      nodes[place] = undefined;
      machine.die();
      this.#cluster.crashed.add(node.name);
      this.#startSoon(place, failure.ms, machine.wallOffset);
    } else if (failure.what === 'document' && !machine.isStanding) {
      const { clock, random } = machine;
      // A database that is away refuses it: then nothing changes.
      this.#cluster.apply({ clock, random, store: gateway.store }, failure.edition).catch(() => {});
    }
  }

  #pause(node: SimulatedNode, failure: Extract<InjectedFailure, { what: 'pause' }>): void {
    const isLate = this.#world.now > failure.at + BUSY_WITHIN_MS;
    const isReady = !failure.isBusy || this.#cluster.database.openHolds.areOn(node.name);
    if (isReady || isLate) {
      node.machine.stand(failure.ms);
      return;
    }
    this.#world.after(LOOK_MS, () => {
      if (!this.#isOver) this.#pause(node, failure);
    });
  }

  #startSoon(place: number, ms: number, wallOffset: number): void {
    this.#world.after(ms, () => {
      if (this.#cluster.nodes[place]) return;
      this.#cluster.start(place, wallOffset).catch(() => this.#startSoon(place, 1_000, wallOffset));
    });
  }

  #drain(node: SimulatedNode, place: number, ms: number): void {
    const { nodes } = this.#cluster;
    nodes[place] = undefined;
    const startAgain = () => this.#startSoon(place, 100, node.machine.wallOffset);
    node.machine.enter(() => {
      node.gateway.drain(ms).then(startAgain, (error: Error) => {
        this.#onCrash(`a drain failed: ${error.message}`);
        startAgain();
      });
    });
  }
}
