// Public ids: a prefix that says what it is, 48 bits of time so that ids sort by age, 80 random bits.

import type { Clock } from './clock.ts';
import type { Random } from './random.ts';

export type IdPrefix = 'acc' | 'key' | 'req' | 'node' | 'batch' | 'inc';

export type NewId = (prefix: IdPrefix) => string;

const CROCKFORD = '0123456789abcdefghjkmnpqrstvwxyz';
const TIME_DIGITS = 10;
const RANDOM_DIGITS = 16;
/** Random bytes are asked for so many ids at a time. */
const IDS_AT_ONCE = 64;
/** Two digits for ten bits. */
const PAIRS = Array.from({ length: 1024 }, (_, bits) => CROCKFORD.charAt(bits >> 5) + CROCKFORD.charAt(bits & 31));

export function createIds(clock: Clock, random: Random): NewId {
  let bytes: Uint8Array = new Uint8Array(0);
  let at = 0;
  let time = -1;
  let timePart = '';
  return (prefix) => {
    const now = clock.now();
    if (now !== time) {
      time = now;
      timePart = timeDigits(now);
    }
    if (at === bytes.length) {
      bytes = random.bytes(RANDOM_DIGITS * IDS_AT_ONCE);
      at = 0;
    }
    let id = `${prefix}_${timePart}`;
    for (const end = at + RANDOM_DIGITS; at < end; at += 2) {
      id += PAIRS[(((bytes[at] ?? 0) & 31) << 5) | ((bytes[at + 1] ?? 0) & 31)];
    }
    return id;
  };
}

/** Ids that were made before that time stand before it in their order. */
export function firstIdAt(prefix: IdPrefix, ms: number): string {
  return `${prefix}_${timeDigits(ms)}`;
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
