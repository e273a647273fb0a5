// Whether the balance is too low for another call: of the paid models in the latest requests, or of any paid chat model if
// there were none. A cheap model that the account never used does not count.

import type { Catalog, Model } from '../../catalog/catalog.ts';
import { maxNano, minNano, type Nano } from '../../kit/money.ts';
import { MIN_OUTPUT_TOKENS } from '../../kit/tokens.ts';
import type { UsageRecord } from '../../store/rows.ts';

export function isUsedUp(
  balance: Nano,
  latest: readonly Pick<UsageRecord, 'model'>[],
  { models }: Pick<Catalog, 'models'>,
): boolean {
  const paid = models.filter(({ free }) => !free);
  const asked = new Set(latest.map(({ model }) => model));
  const used = paid.filter(({ id }) => asked.has(id));
  const [first = 0n, ...others] = (used.length > 0 ? used : paid.filter(isChat)).map(leastCall);
  return balance < maxNano(1n, minNano(first, ...others));
}

function isChat({ kinds }: Model): boolean {
  return kinds.includes('chat');
}

/** The smallest hold of an ordinary call: one image, second, character or search, or a minimum of tokens. */
function leastCall({ prices: { input, output, image, second, character, search } }: Model): Nano {
  return (input + output) * BigInt(MIN_OUTPUT_TOKENS) + image + second + character + search;
}
