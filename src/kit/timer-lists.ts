// Timers by the thousand, of which nearly all are taken back before they are due. Those of one length are due in the
// order in which they were set: each length has a list of its own, and one timer of the runtime for the first in it.

export interface TimerTools {
  /** Milliseconds that never go backwards. */
  monotonic(): number;
  /** One timer of the runtime; the result takes it back. */
  set(ms: number, task: () => void): () => void;
}

/** Runs `task` once after `ms`; the result takes it back. */
export type After = (ms: number, task: () => void) => () => void;

export function createTimerLists(tools: TimerTools): After {
  const lists = new Map<number, TimerList>();
  return (ms, task) => {
    let list = lists.get(ms);
    if (!list) {
      list = new TimerList(ms, tools, () => lists.delete(ms));
      lists.set(ms, list);
    }
    return list.add(task);
  };
}

class TimerList {
  readonly #ms: number;
  readonly #tools: TimerTools;
  readonly #onEmpty: () => void;
  #first: Entry | undefined;
  #last: Entry | undefined;
  #unset: (() => void) | undefined;

  constructor(ms: number, tools: TimerTools, onEmpty: () => void) {
    this.#ms = ms;
    this.#tools = tools;
    this.#onEmpty = onEmpty;
  }

  add(task: () => void): () => void {
    const entry = new Entry(task, this.#tools.monotonic() + this.#ms, this.#last);
    if (this.#last) this.#last.next = entry;
    else {
      this.#first = entry;
      this.#set(this.#ms);
    }
    this.#last = entry;
    return this.#remove.bind(this, entry);
  }

  /** Whoever still has the way to take it back has nothing else of it: neither its task nor those that came after it. */
  #remove(entry: Entry): void {
    if (!entry.task) return;
    if (entry.previous) entry.previous.next = entry.next;
    else this.#first = entry.next;
    if (entry.next) entry.next.previous = entry.previous;
    else this.#last = entry.previous;
    entry.task = undefined;
    entry.next = undefined;
    entry.previous = undefined;
    if (this.#first) return;
    this.#unset?.();
    this.#unset = undefined;
    this.#onEmpty();
  }

  #set(ms: number): void {
    this.#unset = this.#tools.set(Math.min(Math.max(0, ms), MOST_MS), this.#run);
  }

  /** A task that throws keeps none of the others from its turn. */
  readonly #run = (): void => {
    this.#unset = undefined;
    try {
      for (let task = this.#takeDue(); task; task = this.#takeDue()) task();
    } finally {
      if (this.#first) this.#set(this.#first.due - this.#tools.monotonic());
    }
  };

  #takeDue(): (() => void) | undefined {
    const first = this.#first;
    if (!first || first.due > this.#tools.monotonic()) return undefined;
    const { task } = first;
    this.#remove(first);
    return task;
  }
}

/** Longer ones the runtime would take for short ones. */
const MOST_MS = 2 ** 31 - 1;

class Entry {
  next: Entry | undefined;

  constructor(
    /** Undefined when it has run or was taken back. */
    public task: (() => void) | undefined,
    readonly due: number,
    public previous: Entry | undefined,
  ) {}
}
