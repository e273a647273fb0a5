// Finds a mark in bytes, in every spelling that software gives to text it stores.

import { randomBytes, randomInt } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Text that occurs nowhere else in the world: one word of ASCII, one of Chinese. */
export function createMark(): string[] {
  const wide = Array.from({ length: 8 }, () => String.fromCharCode(randomInt(0x4e00, 0x9fa0))).join('');
  return [`zq${randomBytes(12).toString('hex')}qz`, wide];
}

type Spelling = (word: string) => (Buffer | string)[];

const SPELLINGS: Record<string, Spelling> = {
  'UTF-8': (word) => [Buffer.from(word)],
  'UTF-16': (word) => [Buffer.from(word, 'utf16le'), Buffer.from(word, 'utf16le').swap16()],
  base64: (word) => [Buffer.from(word), Buffer.from(word, 'utf16le')].flatMap(base64Cores),
  hex: (word) => [Buffer.from(word).toString('hex'), Buffer.from(word).toString('hex').toUpperCase()],
  escaped: (word) => {
    const units = Array.from({ length: word.length }, (_, index) =>
      word.charCodeAt(index).toString(16).padStart(4, '0'),
    );
    return [units.map((unit) => `\\u${unit}`).join(''), units.map((unit) => `\\u${unit.toUpperCase()}`).join('')];
  },
  percent: (word) => {
    const bytes = [...Buffer.from(word)].map((byte) => byte.toString(16).padStart(2, '0'));
    return [bytes.map((byte) => `%${byte}`).join(''), bytes.map((byte) => `%${byte.toUpperCase()}`).join('')];
  },
};

export const SPELLING_NAMES = Object.keys(SPELLINGS);

export function spell(word: string, spelling: string): Buffer[] {
  return (SPELLINGS[spelling]?.(word) ?? []).map((form) => (typeof form === 'string' ? Buffer.from(form) : form));
}

/** The spellings in which a mark's words stand in the bytes. */
export function findMark(mark: readonly string[], bytes: Uint8Array): string[] {
  const haystack = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return mark.flatMap((word) =>
    SPELLING_NAMES.filter((spelling) => spell(word, spelling).some((form) => haystack.includes(form))).map(
      (spelling) => `${word} as ${spelling}`,
    ),
  );
}

/** Where below a folder a mark stands: in the bytes of a file, or in its name. */
export function findMarkIn(mark: readonly string[], folder: string): string[] {
  return filesBelow(folder).flatMap((path) => {
    const found = findMark(mark, readFileSync(join(folder, path)));
    const named = findMark(mark, Buffer.from(path));
    return [...found, ...named].map((what) => `${path}: ${what}`);
  });
}

export function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true })
    .map(String)
    .filter((path) => statSync(join(folder, path)).isFile());
}

/** The characters of a word's base64 that do not depend on what stands around it, at each of the three places. */
function base64Cores(bytes: Buffer): string[] {
  return [0, 1, 2].flatMap((shift) => {
    const text = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    const core = text.slice(shift === 0 ? 0 : shift + 1, -2);
    return [core, core.replaceAll('+', '-').replaceAll('/', '_')];
  });
}
