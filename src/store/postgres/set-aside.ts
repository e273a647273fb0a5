// Operations on rows that somebody else keeps locked, another session or a node that froze inside its transaction, wait on a
// lane of their own. So they hold up nobody but each other, and each of them no longer than it may.

import { fault } from '../../faults/fault.ts';
import type { Clock } from '../../kit/clock.ts';
import { type Batcher, PagesLocked } from '../batcher.ts';
import type { Input, OperationName, Result } from '../operations.ts';
import { pagesOf } from './load-pages.ts';

interface AsideOptions {
  clock: Clock;
  lanes: Batcher;
  aside: Batcher;
}

/** How long an operation waits for rows in all. Longer than the server leaves a silent node its locks. */
const LOCKED_MS = 2_000;

/** The two as one. */
export function setAside({ clock, lanes, aside }: AsideOptions): Batcher {
  /** By page, how many operations wait for it aside: whoever needs the same one need not find that out again. */
  const awaited = new Map<string, number>();
  const underway = new Set<Promise<unknown>>();

  function count(pages: readonly string[], by: 1 | -1): void {
    for (const page of pages) {
      const waiting = (awaited.get(page) ?? 0) + by;
      if (waiting > 0) awaited.set(page, waiting);
      else awaited.delete(page);
    }
  }

  async function wait<Name extends OperationName>(
    name: Name,
    input: Input<Name>,
    locked: readonly string[],
  ): Promise<Result<Name>> {
    const until = clock.monotonic() + LOCKED_MS;
    for (let next = locked; ; ) {
      const pages = next;
      count(pages, 1);
      try {
        return await aside.submit(name, input);
      } catch (error) {
        if (!(error instanceof PagesLocked)) throw error;
        if (clock.monotonic() >= until) throw fault('unavailable', { internal: `store: ${error.message}` });
        next = error.pages;
      } finally {
        count(pages, -1);
      }
    }
  }

  function goAside<Name extends OperationName>(name: Name, input: Input<Name>, pages: readonly string[]) {
    const waiting = wait(name, input, pages);
    underway.add(waiting);
    const over = () => void underway.delete(waiting);
    waiting.then(over, over);
    return waiting;
  }

  return {
    submit(name, input) {
      const pages = awaited.size === 0 ? [] : pagesOf(name, input).filter((page) => awaited.has(page));
      // It counts for nobody: a page that is free again is asked for on the lanes, however many want it.
      if (pages.length > 0) return goAside(name, input, []);
      return lanes.submit(name, input).catch((error: unknown) => {
        if (error instanceof PagesLocked) return goAside(name, input, error.pages);
        throw error;
      });
    },
    async idle() {
      await lanes.idle();
      while (underway.size > 0) await Promise.allSettled(underway);
    },
    depth: () => lanes.depth() + aside.depth(),
  };
}
