// The cost beside the usage that it is for, wherever a format has it.

import type { JsonObject } from '../kit/json/json.ts';
import { moneyFields, type Nano } from '../kit/money.ts';

/** Edits a usage object that an upstream or we have written. */
export function withCost(usage: JsonObject, cost: Nano | undefined): JsonObject {
  return cost === undefined ? usage : { ...usage, ...moneyFields('cost', cost) };
}
