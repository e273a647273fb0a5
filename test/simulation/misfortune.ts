// What goes wrong, and when: drawn from the seed before the beginning, so that a failing run can be repeated with less of
// it until only what matters is left.

import type { Cluster, SimulatedNode } from './cluster.ts';
import { type DatabaseState, WELL } from './database.ts';
import type { Dice } from './dice.ts';
import type { Mishap } from './mishap.ts';
import { TROUBLES, VENDORS } from './vendors.ts';
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
  /** Between two mishaps, on average. */
  meanMs: number;
  /** Others are left out. */
  isDrawn(what: Mishap['what']): boolean;
}

export function drawMishaps(dice: Dice, draw: Draw): Mishap[] {
  const mishaps: Mishap[] = [];
  for (let at = dice.between(0, draw.meanMs); at < draw.until; at += dice.between(1, 2 * draw.meanMs)) {
    const mishap = drawOne(dice, draw.places);
    if (draw.isDrawn(mishap.what)) mishaps.push({ at, ...mishap } as Mishap);
  }
  return mishaps;
}

type Unplanned = Mishap extends infer One ? (One extends { at: number } ? Omit<One, 'at'> : never) : never;

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
  if (choice < 55) return { what: 'database', trouble: drawDatabase(dice), ms: dice.between(100, 40 * SECOND) };
  if (choice < 57) return { what: 'database crash' };
  if (choice < 59) return { what: 'power loss' };
  if (choice < 67) return { what: 'network', ms: dice.between(1, 60) * SECOND, loss: dice.pick([0.05, 0.3]) };
  if (choice < 95) {
    const [vendor, trouble] = [dice.pick(VENDORS), dice.pick(TROUBLES)];
    return { what: 'vendor', vendor, trouble, ms: dice.between(1, 60) * SECOND };
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

export class Misfortune {
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

  plan(mishaps: readonly Mishap[]): void {
    for (const mishap of mishaps) {
      this.#world.after(mishap.at - this.#world.now, () => {
        if (this.#isOver) return;
        this.#world.note(mishap.what);
        this.#happen(mishap);
      });
    }
  }

  /** Everything works again; a node that is away comes back. */
  heal(): void {
    this.#isOver = true;
    Object.assign(this.#cluster.database.state, WELL);
    this.#cluster.vendors.trouble.clear();
    this.networkLoss = 0;
    this.#cluster.nodes.forEach((node, place) => {
      node?.machine.goOn();
      if (!node) this.#startSoon(place, 1, 0);
    });
  }

  #happen(mishap: Mishap): void {
    const { vendors, database } = this.#cluster;
    if ('place' in mishap) this.#happenToNode(mishap);
    else if (mishap.what === 'vendor') {
      vendors.trouble.set(mishap.vendor, mishap.trouble);
      this.#world.after(mishap.ms, () => void vendors.trouble.delete(mishap.vendor));
    } else if (mishap.what === 'network') {
      this.networkLoss = mishap.loss;
      this.#world.after(mishap.ms, () => {
        this.networkLoss = 0;
      });
    } else if (mishap.what === 'database crash') this.#crashDatabase(() => database.restart());
    else if (mishap.what === 'power loss') this.#crashDatabase(() => database.losePower());
    else {
      Object.assign(database.state, mishap.trouble);
      this.#world.after(mishap.ms, () => void Object.assign(database.state, WELL));
    }
  }

  /** The process of an embedded one crashes with it. */
  #crashDatabase(crash: () => void): void {
    if (this.#cluster.isEmbedded) {
      this.#happenToNode({ at: this.#world.now, what: 'crash', place: 0, ms: POWER_CUT_MS });
    }
    crash();
  }

  #happenToNode(mishap: Mishap & { place: number }): void {
    const { place } = mishap;
    const { nodes } = this.#cluster;
    const node = nodes[place];
    if (!node) return;
    const { machine, gateway } = node;
    if (mishap.what === 'pause') this.#pause(node, mishap);
    else if (mishap.what === 'clock') machine.stepClock(mishap.ms);
    else if (mishap.what === 'restart') this.#drain(node, place, mishap.ms);
    else if (mishap.what === 'crash') {
      nodes[place] = undefined;
      machine.die();
      this.#cluster.crashed.add(node.name);
      this.#startSoon(place, mishap.ms, machine.wallOffset);
    } else if (mishap.what === 'document' && !machine.isStanding) {
      const { clock, random } = machine;
      // A database that is away refuses it: then nothing changes.
      this.#cluster.apply({ clock, random, store: gateway.store }, mishap.edition).catch(() => {});
    }
  }

  #pause(node: SimulatedNode, mishap: Extract<Mishap, { what: 'pause' }>): void {
    const isLate = this.#world.now > mishap.at + BUSY_WITHIN_MS;
    const isReady = !mishap.isBusy || this.#cluster.database.openHolds.areOn(node.name);
    if (isReady || isLate) {
      node.machine.stand(mishap.ms);
      return;
    }
    this.#world.after(LOOK_MS, () => {
      if (!this.#isOver) this.#pause(node, mishap);
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
