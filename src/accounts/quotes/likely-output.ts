// How many output tokens a call of a model likely has: the mean of the account's own answered calls of the last days, or
// else that of all accounts.

import { type Clock, MINUTE_MS } from '../../kit/clock.ts';
import { taipeiDay } from '../../kit/taipei.ts';
import type { Store } from '../../store/store.ts';

/** Undefined if there is no history. */
export type LikelyOutput = (accountId: string, model: string) => Promise<number | undefined>;

const ACCOUNT_DAYS = 30;
const ALL_DAYS = 7;
/** The read over all accounts looks at many rows. */
const CACHED_FOR_MS = 10 * MINUTE_MS;

type Means = ReadonlyMap<string, number | undefined>;

export function createLikelyOutput({ store, clock }: { store: Pick<Store, 'read'>; clock: Clock }): LikelyOutput {
  let cached: { means: Promise<Means>; until: number } | undefined;

  function meansOfAll(today: number): Promise<Means> {
    const now = clock.monotonic();
    if (cached && now < cached.until) return cached.means;
    const means = store.read.outputByModel(today - ALL_DAYS);
    const reading = { means, until: now + CACHED_FOR_MS };
    cached = reading;
    means.catch(() => {
      if (cached === reading) cached = undefined;
    });
    return means;
  }

  return async (accountId, model) => {
    const today = taipeiDay(clock.now());
    const own = await store.read.accountOutput(accountId, model, today - ACCOUNT_DAYS);
    return own ?? (await meansOfAll(today)).get(model);
  };
}
