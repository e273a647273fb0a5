// The machine that a node runs on: it can stop for a while, and it can die. Whatever comes from outside, timers included,
// enters through it: a machine that stands still finds it later, a dead one never.

import type { Clock } from '../../src/kit/clock.ts';
import type { Random } from '../../src/kit/random.ts';
import { runTask } from '../../src/kit/timer-lists.ts';
import type { Dice } from './dice.ts';
import type { World } from './world.ts';

export class Machine {
  readonly clock: Clock;
  readonly random: Random;
  /** Aborts when it dies. */
  readonly died: AbortSignal;
  readonly #death = new AbortController();
  readonly #world: World;
  /** What came while it stood still. */
  #missed: (() => void)[] | undefined;
  #wallOffset = 0;

  constructor(world: World, dice: Dice, wallOffset: number) {
    this.#world = world;
    this.#wallOffset = wallOffset;
    this.died = this.#death.signal;
    this.random = { bytes: dice.bytes, fraction: dice.fraction };
    this.clock = {
      now: () => Math.floor(world.wall() + this.#wallOffset),
      monotonic: () => world.now,
      after: (ms, task) => world.after(ms, () => this.enter(() => runTask(task))),
    };
  }

  get isDead(): boolean {
    return this.died.aborted;
  }

  get isStanding(): boolean {
    return this.#missed !== undefined;
  }

  enter(act: () => void): void {
    if (this.isDead) return;
    if (this.#missed) this.#missed.push(act);
    else act();
  }

  stand(ms: number): void {
    if (this.#missed || this.isDead) return;
    this.#missed = [];
    this.#world.after(ms, () => this.goOn());
  }

  /** What it missed comes in its order, and before anything newer. As in a real event loop, each is dealt with before the next. */
  goOn(): void {
    const act = this.isDead ? undefined : this.#missed?.shift();
    if (act) {
      act();
      this.#world.after(0, () => this.goOn());
    } else this.#missed = undefined;
  }

  die(): void {
    this.#death.abort(new Error('the node died'));
  }

  stepClock(ms: number): void {
    this.#wallOffset += ms;
  }

  get wallOffset(): number {
    return this.#wallOffset;
  }
}
