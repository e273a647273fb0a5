// Public ids: a prefix for the type, 48 bits of time so that ids sort by age, 80 random bits.

import type { Clock } from './clock.ts';
import type { Random } from './random.ts';

export type IdPrefix =
  | 'acc'
  | 'key'
  | 'req'
  | 'node'
  | 'batch'
  | 'credit'
  | 'refund'
  | 'payout'
  | 'inc'
  | 'whk'
  | 'alm'
  | 'test';

export type NewId = (prefix: IdPrefix) => string;

const CROCKFORD = '0123456789abcdefghjkmnpqrstvwxyz';
const TIME_DIGITS = 10;
const RANDOM_DIGITS = 16;
/** Random digits are generated for this many ids at a time. */
const IDS_AT_ONCE = 64;
const ASCII = new TextDecoder();

export function createIds(clock: Clock, random: Random): NewId {
  let digits = '';
  let at = 0;
  let time = -1;
  let timePart = '';
  return (prefix) => {
    const now = clock.now();
    if (now !== time) {
      time = now;
      timePart = `_${timeDigits(now)}`;
    }
    if (at === digits.length) {
      digits = randomDigits(random, RANDOM_DIGITS * IDS_AT_ONCE);
      at = 0;
    }
    const start = at;
    at += RANDOM_DIGITS;
    return `${prefix}${timePart}${digits.slice(start, at)}`;
  };
}

/** Ids created before that time sort before this one. */
export function firstIdAt(prefix: IdPrefix, ms: number): string {
  return `${prefix}_${timeDigits(ms)}`;
}

/** Five bits per digit. */
function randomDigits(random: Random, count: number): string {
  return ASCII.decode(random.bytes(count).map((byte) => CROCKFORD.charCodeAt(byte & 31)));
}

function timeDigits(ms: number): string {
  let rest = ms;
  let digits = '';
  for (let i = 0; i < TIME_DIGITS; i++) {
    digits = CROCKFORD.charAt(rest % 32) + digits;
    rest = Math.floor(rest / 32);
  }
  return digits;
}
