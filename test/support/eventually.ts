// Waits for a condition instead of for a time.

const POLL_MS = 5;
/** Who waits for long asks less often: what is asked is usually a call through a gateway. */
const SLOW_POLL_MS = 20;
const SLOWER = 1.2;
/** For what hangs: a busy machine must not come near it. Less than a test has, so that it names what it waited for. */
const WITHIN_MS = 60_000;

/** The first value of `check` that is neither undefined nor false; throws `what` if none comes in time. */
export async function eventually<Value>(
  what: string,
  check: () => Value | undefined | false | Promise<Value | undefined | false>,
  withinMs = WITHIN_MS,
  slowestMs = SLOW_POLL_MS,
): Promise<Value> {
  const until = performance.now() + withinMs;
  let pauseMs = POLL_MS;
  for (;;) {
    const value = await check();
    if (value !== undefined && value !== false) return value;
    if (performance.now() > until) throw new Error(`not within ${withinMs} ms: ${what}`);
    await Bun.sleep(pauseMs);
    pauseMs = Math.min(slowestMs, pauseMs * SLOWER);
  }
}

/** For a check that moves a clock on by one step of many. */
export function eventuallyInSteps(what: string, check: () => Promise<boolean>): Promise<boolean> {
  return eventually(what, check, WITHIN_MS, POLL_MS);
}

export interface Gate {
  readonly opened: Promise<void>;
  open(): void;
}

/** A promise that the test itself fulfils. */
export function createGate(): Gate {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: resolve };
}
