// A card's code: `PC-`, 26 Crockford base32 characters (130 random bits), 2 check characters; grouped for people.
// The check is the code as a number modulo a prime: it catches every wrong character and every swapped pair.

import type { Random } from '../kit/random.ts';
import { createHasher } from '../kit/sealed.ts';

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const BODY_CHARS = 26;
const CHECK_MODULUS = 1021;
const SERIAL_CHARS = 12;
/**
 * Spaces and dashes, and what keyboards and input methods type instead: minus, rule, long vowel, invisible characters.
 */
const GAPS = /[\s\p{Pd}\u00ad\u200b\u2212\u2500\u30fc]/gu;

export const CARD_CODE_SHAPE = groupCode('X'.repeat(BODY_CHARS + 2));

export function createCardCode(random: Random): string {
  const body = randomChars(random, BODY_CHARS);
  return groupCode(body + checkOf(body));
}

/** A public number for the card, unrelated to its code. */
export function createSerial(random: Random): string {
  return `SN${randomChars(random, SERIAL_CHARS)}`;
}

/**
 * The code in canonical spelling, or undefined. Ignores case, width, spaces and dashes, and accepts look-alike letters.
 */
export function readCardCode(text: string): string | undefined {
  const plain = text
    .normalize('NFKC')
    .toUpperCase()
    .replace(GAPS, '')
    .replace(/^PC(?=.{28}$)/, '')
    .replaceAll('O', '0')
    .replace(/[IL]/g, '1');
  if (plain.length !== BODY_CHARS + 2 || [...plain].some((char) => !ALPHABET.includes(char))) return undefined;
  const body = plain.slice(0, BODY_CHARS);
  return checkOf(body) === plain.slice(BODY_CHARS) ? groupCode(plain) : undefined;
}

export function createCardHasher(pepper: string): (code: string) => string {
  return createHasher(pepper, 'card');
}

function checkOf(body: string): string {
  let rest = 0;
  for (const char of body) rest = (rest * 32 + ALPHABET.indexOf(char)) % CHECK_MODULUS;
  return ALPHABET.charAt(rest >> 5) + ALPHABET.charAt(rest & 31);
}

function groupCode(plain: string): string {
  return `PC-${(plain.match(/.{4}/g) ?? []).join('-')}`;
}

function randomChars(random: Random, count: number): string {
  return [...random.bytes(count)].map((byte) => ALPHABET.charAt(byte & 31)).join('');
}
