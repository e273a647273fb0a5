// An amount of NT$ that an operator types.

import { type Nano, parseNtd } from '../kit/money.ts';
import { Refused } from './command.ts';

export function readAmount(text: string): Nano {
  const nano = parseNtd(text);
  if (nano === undefined || nano <= 0n) {
    throw new Refused(`--amount must be a positive amount of NT$ with at most 9 decimals: ${text}`);
  }
  return nano;
}
