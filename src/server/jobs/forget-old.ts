// What is kept for two days only: client addresses, of which there are keyed hashes alone, answers to repeated calls, and
// what nodes leave behind that are gone.

import { type Clock, every, HOUR_MS, MINUTE_MS } from '../../kit/clock.ts';
import { describeError, type Log } from '../../kit/log.ts';
import type { Store } from '../../store/store.ts';

const KEEP_MS = 48 * HOUR_MS;
const CHECK_MS = 10 * MINUTE_MS;

export async function forgetOld(store: Store, clock: Clock, log: Log): Promise<() => void> {
  const forget = () => store.forget(clock.now() - KEEP_MS);
  await forget();
  return every(clock, CHECK_MS, () =>
    forget().catch((error: unknown) => log('error', 'forget_failed', { detail: describeError(error) })),
  );
}
