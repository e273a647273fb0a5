// Timers for thousands of requests, nearly all of which are cancelled before they are due. Timers of one length are due
// in the order in which they were set: each length has a list and one runtime timer for its first entry. While there
// are few lengths, an empty list and its timer stay for the next entry until the timer fires.

interface TimerTools {
  /** Monotonic milliseconds. */
  monotonic(): number;
  set(ms: number, task: () => void): RuntimeTimer;
}

/** As returned by `setTimeout`. */
interface RuntimeTimer {
  /** Keeps the process alive. */
  ref(): void;
  unref(): void;
  /** Cancels it. */
  close(): void;
}

/** Runs when the timer is due. */
export type Task = (() => void) | TaskListener;

export interface TaskListener {
  onTime(): void;
}

export function runTask(task: Task): void {
  if (typeof task === 'function') task();
  else task.onTime();
}

/** Runs `task` once after `ms`; the result cancels it. */
type After = (ms: number, task: Task) => () => void;

export function createTimerLists(tools: TimerTools): After {
  const lists = new Map<number, TimerList>();
  return (ms, task) => {
    let list = lists.get(ms);
    if (!list) {
      list = new TimerList(ms, tools, lists);
      lists.set(ms, list);
    }
    return list.add(task);
  };
}

class TimerList {
  readonly #ms: number;
  readonly #tools: TimerTools;
  /** All lists by length; this one is removed when it ends. */
  readonly #lists: Map<number, TimerList>;
  #first: Entry | undefined;
  #last: Entry | undefined;
  #timer: RuntimeTimer | undefined;

  constructor(ms: number, tools: TimerTools, lists: Map<number, TimerList>) {
    this.#ms = ms;
    this.#tools = tools;
    this.#lists = lists;
  }

  add(task: Task): () => void {
    const entry = new Entry(task, this.#tools.monotonic() + this.#ms, this.#last);
    if (this.#last) this.#last.next = entry;
    else {
      this.#first = entry;
      if (this.#timer) this.#timer.ref();
      else this.#set(this.#ms);
    }
    this.#last = entry;
    return this.#remove.bind(this, entry);
  }

  /** A cancel function that is still referenced keeps neither the task nor later entries in memory. */
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
    if (this.#timer && this.#lists.size <= A_FEW) this.#timer.unref();
    else this.#end();
  }

  #end(): void {
    this.#timer?.close();
    this.#timer = undefined;
    this.#lists.delete(this.#ms);
  }

  #set(ms: number): void {
    this.#timer = this.#tools.set(Math.min(Math.max(0, ms), MAX_MS), this.#run);
  }

  readonly #run = (): void => {
    this.#timer = undefined;
    if (this.#first) this.#runDue();
    else this.#end();
  };

  /** A task that throws does not stop the others. */
  #runDue(): void {
    try {
      for (let task = this.#takeDue(); task; task = this.#takeDue()) runTask(task);
    } finally {
      if (this.#first) this.#set(this.#first.due - this.#tools.monotonic());
    }
  }

  #takeDue(): Task | undefined {
    const first = this.#first;
    if (!first || first.due > this.#tools.monotonic()) return undefined;
    const { task } = first;
    this.#remove(first);
    return task;
  }
}

const A_FEW = 64;
/** The runtime treats longer ones as short. */
const MAX_MS = 2 ** 31 - 1;

class Entry {
  next: Entry | undefined;

  constructor(
    /** Undefined after it ran or was cancelled. */
    public task: Task | undefined,
    readonly due: number,
    public previous: Entry | undefined,
  ) {}
}
