// Whether what is left of a balance pays for another call. Who knows one dear model alone is not helped by a cheap one that
// they never asked: what counts are the paid models of the latest requests, and all of them only where there was none.

import type { Catalog, Model } from '../../catalog/catalog.ts';
import { maxNano, minNano, type Nano } from '../../kit/money.ts';
import { LEAST_OUTPUT_TOKENS } from '../../kit/tokens.ts';
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

/** What an ordinary call holds at the least: one image, or the shortest answer that is worth one, and no fewer tokens of input. */
function leastCall({ prices: { input, output, image } }: Model): Nano {
  return (input + output) * BigInt(LEAST_OUTPUT_TOKENS) + image;
}
