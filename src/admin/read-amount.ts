// An amount of NT$ that an operator types.

import { NANO_PER_NTD, type Nano, parseNtd } from '../kit/money.ts';
import { Refused } from './command.ts';

/** Far above any real payment, and far below what a wallet can count: a slip of the hand does not fill one. */
const MOST: Nano = 100_000_000n * NANO_PER_NTD;

export function readAmount(text: string): Nano {
  const nano = parseNtd(text);
  if (nano === undefined || nano <= 0n || nano > MOST) {
    throw new Refused(`--amount must be an amount of NT$ above 0, up to 100000000, with at most 9 decimals: ${text}`);
  }
  return nano;
}
