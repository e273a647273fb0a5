// A failure of an upstream is free, except for an account whose free failures and hang-ups of the day are used up: then its fault
// says what was charged.

import { type Fault, fault } from '../faults/fault.ts';
import { formatNtd } from '../kit/money.ts';
import type { Settled } from './close.ts';

export function withCharge(shown: Fault, settled: Settled | undefined): Fault {
  if (shown.code !== 'upstream_failed' || !settled || settled.cost === 0n) return shown;
  const charged = `NT$${formatNtd(settled.cost)} was charged, because this account's free failures and hang-ups of today are used up`;
  const message = `The upstream failed. ${charged}; the receipt explains it. Retry, or choose another model.`;
  return fault(shown.code, { ...shown.details, message });
}
