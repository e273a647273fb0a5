// Group commit: operations that arrive during a commit, or within one turn of the event loop, share the next commit. The
// queue is bounded. Admissions that waited too long are refused; settlements never are.

import { fault } from '../faults/fault.ts';
import type { Clock } from '../kit/clock.ts';
import type { Decided } from './book/decide.ts';
import type { Input, Operation, OperationName, Result } from './operations.ts';

interface BatcherOptions {
  clock: Clock;
  commit(operations: readonly Operation[]): Promise<Decided[]>;
  /** How many commits may be under way at once. */
  maxRunning?: number;
  /** How long an admission may wait for its commit to begin. */
  patienceMs?: number | undefined;
  meter?: BatchMeter | undefined;
}

/** Called for every batch, with how it ended and how long that took. */
export type BatchMeter = (batch: { operations: number; ms: number; isCommitted: boolean }) => void;

/** Nothing was written: another transaction has locked pages of the operation. Lists them if they are known. */
export class PagesLocked extends Error {
  override name = 'PagesLocked';

  constructor(
    readonly pages: readonly string[],
    message: string,
  ) {
    super(message);
  }
}

interface Waiting {
  operation: Operation;
  since: number;
  resolve(result: Result<OperationName>): void;
  reject(error: unknown): void;
}

export interface Batcher {
  submit<Name extends OperationName>(name: Name, input: Input<Name>): Promise<Result<Name>>;
  /** Resolves when everything submitted so far has been answered. */
  idle(): Promise<void>;
  depth(): number;
}

const MAX_BATCH = 128;
const MAX_QUEUE = 20_000;
export const PATIENCE_MS = 250;

export function createBatcher({
  clock,
  commit,
  maxRunning = 1,
  patienceMs = PATIENCE_MS,
  meter,
}: BatcherOptions): Batcher {
  let queue: Waiting[] = [];
  let running = 0;
  let scheduled = false;
  let shedding = false;
  let onIdle: (() => void)[] = [];

  function schedule() {
    if (scheduled || running >= maxRunning) return;
    scheduled = true;
    setImmediate(() => {
      scheduled = false;
      void flush();
    });
  }

  async function flush() {
    if (queue.length === 0 || running >= maxRunning) return;
    const batch = queue.splice(0, MAX_BATCH);
    if (queue.length > 0) {
      schedule();
      watchQueue();
    }
    running++;
    const since = clock.monotonic();
    const measure = (isCommitted: boolean) =>
      meter?.({ operations: batch.length, ms: clock.monotonic() - since, isCommitted });
    try {
      const decided = await commit(batch.map((waiting) => waiting.operation));
      measure(decided.some((answer) => !('lockedPages' in answer)));
      batch.forEach((waiting, index) => {
        const answer = decided[index];
        if (answer?.ok) waiting.resolve(answer.result);
        else waiting.reject(whyNot(waiting.operation, answer));
      });
    } catch (error) {
      measure(false);
      const internal = error instanceof Error ? `store: ${error.message}` : 'store';
      for (const waiting of batch) waiting.reject(fault('unavailable', { internal }));
    }
    running--;
    if (queue.length > 0) void flush();
    else if (running === 0) {
      for (const resolve of onIdle) resolve();
      onIdle = [];
    }
  }

  function watchQueue() {
    if (shedding) return;
    shedding = true;
    clock.after(patienceMs, () => {
      shedding = false;
      const oldest = clock.monotonic() - patienceMs;
      const isShed = (waiting: Waiting) => waiting.operation.name === 'admit' && waiting.since <= oldest;
      for (const waiting of queue.filter(isShed)) {
        waiting.reject(fault('unavailable', { internal: 'store: waited too long for a commit' }));
      }
      queue = queue.filter((waiting) => !isShed(waiting));
      if (queue.length > 0) watchQueue();
    });
  }

  return {
    submit(name, input) {
      if (queue.length >= MAX_QUEUE) return Promise.reject(fault('unavailable', { internal: 'store: queue full' }));
      const { promise, resolve, reject } = Promise.withResolvers<Result<typeof name>>();
      const operation = { name, input } as Operation;
      queue.push({ operation, since: clock.monotonic(), resolve: resolve as Waiting['resolve'], reject });
      schedule();
      if (name === 'admit' && running >= maxRunning) watchQueue();
      return promise;
    },
    idle() {
      if (queue.length === 0 && running === 0) return Promise.resolve();
      return new Promise((resolve) => onIdle.push(resolve));
    },
    depth: () => queue.length,
  };
}

function whyNot({ name }: Operation, answer: Exclude<Decided, { ok: true }> | undefined): Error {
  const internal = `${name}: ${answer?.error}`;
  if (answer && 'lockedPages' in answer) return new PagesLocked(answer.lockedPages, internal);
  return fault(answer?.unavailable ? 'unavailable' : 'internal_error', { internal });
}
