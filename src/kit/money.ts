// Money is an integer count of nano-NT$ (1 NT$ = 1,000,000,000). No floats: decimals exist only at the edges, as text
// that a person wrote or as a JSON number in a response.

import { assert } from './assert.ts';

export type Nano = bigint;

export const NANO_PER_NTD: Nano = 1_000_000_000n;
const DECIMALS = 9;
const ZERO = 0x30;

/** The largest amount a 64-bit column holds. */
export const MAX_NANO: Nano = 9_223_372_036_854_775_807n;
const MAX_DIGITS = 19;

/** Reads a plain decimal ("8.125"); undefined if it is not one, or has more decimals than allowed. */
export function parseNtd(text: string, maxDecimals = DECIMALS): Nano | undefined {
  const match = /^(-?)(\d{1,15})(?:\.(\d+))?$/.exec(text);
  if (!match) return undefined;
  const [, sign, whole = '0', fraction = ''] = match;
  if (fraction.length > maxDecimals || fraction.length > DECIMALS) return undefined;
  const nano = BigInt(whole) * NANO_PER_NTD + BigInt(fraction.padEnd(DECIMALS, '0'));
  if (nano > MAX_NANO) return undefined;
  return sign ? -nano : nano;
}

/**
 * Parses a JSON number from its text without losing digits: a JavaScript number holds only about 16. `too_fine`: more
 * decimals than an amount has; `too_large`: no column holds it.
 */
export function nanoOfJson(text: string): Nano | 'too_fine' | 'too_large' | undefined {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(text);
  if (!match) return undefined;
  const [, sign, whole = '', fraction = '', exponent = '0'] = match;
  const written = (whole + fraction).replace(/^0+/, '');
  const end = endOfDigits(written, 0);
  if (end === 0) return 0n;
  const zeros = written.length - end - fraction.length + Number(exponent) + DECIMALS;
  if (zeros < 0) return 'too_fine';
  if (end + zeros > MAX_DIGITS) return 'too_large';
  const nano = BigInt(written.slice(0, end)) * 10n ** BigInt(zeros);
  if (nano > MAX_NANO) return 'too_large';
  return sign ? -nano : nano;
}

/** The exact decimal text, without trailing zeros: 998765432n is "0.998765432". */
export function formatNtd(nano: Nano): string {
  if (nano < 0n) return `-${formatNtd(-nano)}`;
  const digits = nano.toString().padStart(DECIMALS + 1, '0');
  const point = digits.length - DECIMALS;
  const end = endOfDigits(digits, point);
  const whole = digits.slice(0, point);
  return end === point ? whole : `${whole}.${digits.slice(point, end)}`;
}

/** The end without trailing zeros, but not before `least`. */
function endOfDigits(digits: string, least: number): number {
  let end = digits.length;
  while (end > least && digits.charCodeAt(end - 1) === ZERO) end--;
  return end;
}

/** The nearest number, for JSON fields named `…_ntd`; `…_nano` beside it is exact. */
export function ntdNumber(nano: Nano): number {
  const whole = Number(nano);
  return Number.isSafeInteger(whole) ? whole / Number(NANO_PER_NTD) : Number(formatNtd(nano));
}

/** The pair of JSON fields for one amount: `{cost_ntd: 0.5, cost_nano: "500000000"}`. */
export function moneyFields<Name extends string>(
  name: Name,
  nano: Nano,
): Record<`${Name}_ntd`, number> & Record<`${Name}_nano`, string> {
  return { [`${name}_ntd`]: ntdNumber(nano), [`${name}_nano`]: nano.toString() } as Record<`${Name}_ntd`, number> &
    Record<`${Name}_nano`, string>;
}

/** In text for this program itself: a number if that is exact, because it is read and written faster, otherwise digits. */
export type MoneyCell = number | string;

/** `BigInt` reads it. Throws for anything but a bigint. */
export function moneyCell(nano: Nano): MoneyCell {
  assert(typeof nano === 'bigint', 'money is a whole number of nano');
  const whole = Number(nano);
  return Number.isSafeInteger(whole) ? whole : nano.toString();
}

export function minNano(...values: [Nano, ...Nano[]]): Nano {
  let least = values[0];
  for (const value of values) if (value < least) least = value;
  return least;
}

export function maxNano(...values: [Nano, ...Nano[]]): Nano {
  let most = values[0];
  for (const value of values) if (value > most) most = value;
  return most;
}
