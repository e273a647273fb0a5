// Public ids: a prefix that says what it is, 48 bits of time so that ids sort by age, 80 random bits.

import type { Clock } from './clock.ts';
import type { Random } from './random.ts';

export type IdPrefix = 'acc' | 'key' | 'req' | 'node' | 'batch' | 'inc';

export type NewId = (prefix: IdPrefix) => string;

const CROCKFORD = '0123456789abcdefghjkmnpqrstvwxyz';
const TIME_DIGITS = 10;
const RANDOM_DIGITS = 16;

export function createIds(clock: Clock, random: Random): NewId {
  return (prefix) => {
    let time = clock.now();
    let timePart = '';
    for (let i = 0; i < TIME_DIGITS; i++) {
      timePart = CROCKFORD.charAt(time % 32) + timePart;
      time = Math.floor(time / 32);
    }
    let randomPart = '';
    for (const byte of random.bytes(RANDOM_DIGITS)) randomPart += CROCKFORD.charAt(byte & 31);
    return `${prefix}_${timePart}${randomPart}`;
  };
}
