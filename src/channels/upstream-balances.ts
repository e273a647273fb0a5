// The last prepaid credit that each channel's vendor reported. Each node keeps it in memory.

import type { VendorBalance } from '../vendors/balances.ts';

export interface UpstreamBalance {
  /** When the vendor was asked last. */
  askedAt: number;
  /** The last answer; null if there was none yet. */
  balance: (VendorBalance & { at: number }) | null;
  /** Why the last question was not answered; null if it was. */
  failure: string | null;
  /** An alarm is raised below this amount, in the vendor's currency; null: never. */
  alarmBelow: number | null;
  isLow: boolean;
}

/** By channel. */
export type UpstreamBalances = Map<string, UpstreamBalance>;
