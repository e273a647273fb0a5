// What the processes that are killed work on.

import type { Account } from '../suite/samples.ts';

/** What a session may spend, and spends. */
export const SESSION_BUDGET = 1_000n;

export interface HammerPlan {
  /** The key has a session budget. */
  account: Account;
  /** Hashes of cards that nobody else redeems. */
  cards: string[];
}
