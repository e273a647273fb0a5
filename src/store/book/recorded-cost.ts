// What a usage record says that upstreams bill for what its customer pays. Losses are not part of it: together with those of
// its request it is all that upstreams bill, so profit counts nothing twice.

import { NANO_PER_NTD, type Nano } from '../../kit/money.ts';

/** No request costs more. A document with a wrong unit could say so, and the sum of a day must fit into its column. */
const MOST = 10_000n * NANO_PER_NTD;

/** `covered`: of the losses that the customer was charged for. Null if any part is unknown. */
export function recordedCost(own: Nano | null | undefined, covered: Nano | null): Nano | null {
  if (own === null || own === undefined || covered === null) return null;
  const cost = own + covered;
  if (cost > MOST) return null;
  // The excess over a hold is booked at the sale price, which may be more than the whole upstream bill.
  return cost > 0n ? cost : 0n;
}
