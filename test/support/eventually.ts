// Waits for a condition instead of for a time.

const POLL_MS = 5;
/** For what hangs: a busy machine must not come near it. Less than a test has, so that it names what it waited for. */
const WITHIN_MS = 60_000;

/** The first value of `check` that is neither undefined nor false; throws `what` if none comes in time. */
export async function eventually<Value>(
  what: string,
  check: () => Value | undefined | false | Promise<Value | undefined | false>,
  withinMs = WITHIN_MS,
): Promise<Value> {
  const until = performance.now() + withinMs;
  for (;;) {
    const value = await check();
    if (value !== undefined && value !== false) return value;
    if (performance.now() > until) throw new Error(`not within ${withinMs} ms: ${what}`);
    await Bun.sleep(POLL_MS);
  }
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
