// A separate queue for operations on rows that another session, or a node that hangs inside its transaction, keeps locked.
// They delay only each other, each for a bounded time.

import { fault } from '../../faults/fault.ts';
import type { Clock } from '../../kit/clock.ts';
import { addTo } from '../../kit/tally.ts';
import { type Batcher, PagesLocked } from '../batcher.ts';
import type { Input, OperationName, Result } from '../operations.ts';
import { pagesOf } from './load-pages.ts';

interface Options {
  clock: Clock;
  usual: Batcher;
  locked: Batcher;
}

/** How long an operation waits for rows in all. Longer than the server leaves a silent node its locks. */
const LOCKED_MS = 2_000;

/** Both batchers as one. */
export function separateLocked({ clock, usual, locked }: Options): Batcher {
  /** By page, how many operations wait for it: others that need it join them without another failed attempt. */
  const awaited = new Map<string, number>();
  const waits = new Set<Promise<unknown>>();

  function count(pages: readonly string[], by: 1 | -1): void {
    for (const page of pages) addTo(awaited, page, by);
  }

  async function wait<Name extends OperationName>(
    name: Name,
    input: Input<Name>,
    lockedPages: readonly string[],
  ): Promise<Result<Name>> {
    const until = clock.monotonic() + LOCKED_MS;
    for (let next = lockedPages; ; ) {
      const pages = next;
      count(pages, 1);
      try {
        return await locked.submit(name, input);
      } catch (error) {
        if (!(error instanceof PagesLocked)) throw error;
        if (clock.monotonic() >= until) throw fault('unavailable', { internal: `store: ${error.message}` });
        next = error.pages;
      } finally {
        count(pages, -1);
      }
    }
  }

  function submitLocked<Name extends OperationName>(name: Name, input: Input<Name>, pages: readonly string[]) {
    const waiting = wait(name, input, pages);
    waits.add(waiting);
    const over = () => void waits.delete(waiting);
    waiting.then(over, over);
    return waiting;
  }

  return {
    submit(name, input) {
      const pages = awaited.size === 0 ? [] : pagesOf(name, input).filter((page) => awaited.has(page));
      // Not counted, so that operations use the usual batcher again once the page is free.
      if (pages.length > 0) return submitLocked(name, input, []);
      return usual.submit(name, input).catch((error: unknown) => {
        if (error instanceof PagesLocked) return submitLocked(name, input, error.pages);
        throw error;
      });
    },
    async idle() {
      await usual.idle();
      while (waits.size > 0) await Promise.allSettled(waits);
    },
    depth: () => usual.depth() + locked.depth(),
  };
}
