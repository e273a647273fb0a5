// A world of its own: one clock, one source of chance. Everything that happens is an event at a time of this clock, and
// events of one time happen in the order in which they were planned. So a seed decides everything.

import { setImmediate } from 'node:timers/promises';
import { createDice, type Dice } from './dice.ts';

interface Event {
  at: number;
  order: number;
  act: () => void;
}

const TRACE_CHARS = 16;
/** Turns of the event loop in which nothing is planned until the world counts as quiet. */
const QUIET_TURNS = 2;
/** A loop that never comes to rest is a bug. */
const MOST_TURNS = 10_000;

export class World {
  readonly dice: Dice;
  /** Milliseconds since the beginning. */
  now = 0;
  /** How many events have happened. */
  happened = 0;
  readonly #seed: number;
  readonly #startsAt: number;
  readonly #events: Event[] = [];
  readonly #trace = new Bun.CryptoHasher('sha256');
  #planned = 0;

  constructor(seed: number, startsAt: number) {
    this.#seed = seed;
    this.#startsAt = startsAt;
    this.dice = createDice(`${seed}`);
  }

  /** Chance for one purpose: what is drawn for another does not change it. */
  diceFor(purpose: string): Dice {
    return createDice(`${this.#seed} ${purpose}`);
  }

  wall(): number {
    return this.#startsAt + this.now;
  }

  /** Runs `act` after `ms`; the result cancels it. */
  after(ms: number, act: () => void): () => void {
    const event: Event = { at: this.now + Math.max(0, ms), order: this.#planned++, act };
    push(this.#events, event);
    return () => {
      event.act = () => {};
    };
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => void this.after(ms, resolve));
  }

  /** Notes something that happened, so that two runs can be compared. */
  note(what: string): void {
    this.#trace.update(`${this.now} ${what}\n`);
  }

  /** A hash of the times of all events and of all notes so far: two runs that differ anywhere differ here. */
  get trace(): string {
    return this.#trace.copy().digest('hex').slice(0, TRACE_CHARS);
  }

  /** Lets time pass until `isOver`, which is asked after each event, or until `end`. */
  async run(isOver: () => boolean, end: number): Promise<void> {
    await this.#quiet();
    while (!isOver()) {
      const next = this.#events[0];
      if (!next || next.at > end) {
        this.now = Math.max(this.now, end);
        return;
      }
      pop(this.#events);
      this.now = next.at;
      this.happened++;
      this.note('');
      next.act();
      await this.#quiet();
    }
  }

  /** Until all that was set in motion waits for an event. */
  async #quiet(): Promise<void> {
    let quiet = 0;
    for (let turns = 0; quiet < QUIET_TURNS; turns++) {
      if (turns > MOST_TURNS) throw new Error('the simulation does not come to rest');
      const before = this.#planned;
      await setImmediate();
      quiet = this.#planned === before ? quiet + 1 : 0;
    }
  }
}

function isBefore(a: Event, b: Event): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}

function push(heap: Event[], event: Event): void {
  let index = heap.length;
  heap.push(event);
  while (index > 0) {
    const above = (index - 1) >> 1;
    const parent = heap[above] as Event;
    if (!isBefore(event, parent)) break;
    heap[index] = parent;
    index = above;
  }
  heap[index] = event;
}

function pop(heap: Event[]): void {
  const last = heap.pop() as Event;
  if (heap.length === 0) return;
  let index = 0;
  for (;;) {
    let child = 2 * index + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && isBefore(heap[child + 1] as Event, heap[child] as Event)) child++;
    if (!isBefore(heap[child] as Event, last)) break;
    heap[index] = heap[child] as Event;
    index = child;
  }
  heap[index] = last;
}
