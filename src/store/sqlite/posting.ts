// When the writer is asked to post its journal: at once for a read that must see it, and once commits pause or have gone on
// for a while, so that another tool that opens the file finds it nearly up to date.

import type { Clock } from '../../kit/clock.ts';

interface Posting {
  /** For a query that should see what is journaled: false if that takes too long, or fails. */
  beforeRead(): Promise<boolean>;
  /** After a commit. */
  soon(): void;
  stop(): void;
}

const PAUSE_MS = 200;
const LONGEST_MS = 1_000;
/** A lock that another program keeps must not keep every query waiting. */
const READ_WAIT_MS = 2_000;
/** A lock or a full disk: what cannot be posted is tried again. */
const AGAIN_MS = 1_000;

export function createPosting(clock: Clock, post: () => Promise<unknown>): Posting {
  let running: Promise<void> | undefined;
  let cancel: (() => void) | undefined;
  let isStopped = false;
  let firstAt = 0;
  let lastAt = 0;

  /** The writer works in the order of what it is asked: what was answered before a posting ends, is in it. */
  function now(): Promise<void> {
    running ??= post().then(
      () => {
        running = undefined;
      },
      (error: unknown) => {
        running = undefined;
        throw error;
      },
    );
    return running;
  }

  function wait(ms: number): void {
    if (cancel || isStopped) return;
    cancel = clock.after(ms, () => {
      cancel = undefined;
      const at = clock.monotonic();
      if (at - lastAt < PAUSE_MS && at - firstAt < LONGEST_MS) wait(PAUSE_MS);
      else now().catch(() => wait(AGAIN_MS));
    });
  }

  return {
    beforeRead: () =>
      new Promise((resolve) => {
        const stopWaiting = clock.after(READ_WAIT_MS, () => resolve(false));
        const finish = (isPosted: boolean) => {
          stopWaiting();
          resolve(isPosted);
        };
        now().then(
          () => finish(true),
          () => finish(false),
        );
      }),
    soon() {
      lastAt = clock.monotonic();
      if (!cancel) firstAt = lastAt;
      wait(PAUSE_MS);
    },
    stop() {
      isStopped = true;
      cancel?.();
    },
  };
}
