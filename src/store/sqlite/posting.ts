// Decides when the writer posts its journal: at once for a read that must see it; otherwise when commits pause, or after a
// while, so that the tables are nearly current for other tools that open the file.

import type { Clock } from '../../kit/clock.ts';

const PAUSE_MS = 200;
const LONGEST_MS = 1_000;
/** A lock held by another program must not delay every query. */
const READ_WAIT_MS = 2_000;
/** A lock or a full disk: what cannot be posted is tried again. */
const AGAIN_MS = 1_000;

export function createPosting(clock: Clock, post: () => Promise<unknown>) {
  let running: Promise<void> | undefined;
  let cancel: (() => void) | undefined;
  let isStopped = false;
  let firstAt = 0;
  let lastAt = 0;

  /** The writer handles requests in order, so a posting contains every batch that was answered before it ends. */
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
    /** For a query that should see the journal; false if posting fails or takes too long. */
    beforeRead: () =>
      new Promise<boolean>((resolve) => {
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
    /** After a commit. */
    soon(): void {
      lastAt = clock.monotonic();
      if (!cancel) firstAt = lastAt;
      wait(PAUSE_MS);
    },
    stop(): void {
      isStopped = true;
      cancel?.();
    },
  };
}
