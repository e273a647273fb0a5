// Pairs of which every common tokenizer makes one token, or a part of a longer one: two common small letters, or one after a
// space. No two tokens of a single letter stand side by side where there is such a pair, so a run of them is at most two
// tokens for three letters.

const SPACE = 0x20;
/** Tokenizers lack some pairs that have one of these in them, such as `qj` or `gk`. */
const UNCOMMON: ReadonlySet<string> = new Set('fjkqvwxz');
const LETTERS = Array.from('abcdefghijklmnopqrstuvwxyz');

/** As bytes. */
export const COMMON_LETTERS = LETTERS.filter((letter) => !UNCOMMON.has(letter)).map((letter) => letter.charCodeAt(0));

const MAY_BE_FIRST = 1;
const MAY_BE_SECOND = 2;
const ASCII = 0x80;
/** Of each character of ASCII. */
const PLACES = new Uint8Array(ASCII);
PLACES[SPACE] = MAY_BE_FIRST;
for (const letter of COMMON_LETTERS) PLACES[letter] = MAY_BE_FIRST | MAY_BE_SECOND;

export function isPair(first: number, second: number): boolean {
  if (second >= ASCII || first >= ASCII) return false;
  return ((PLACES[second] ?? 0) & MAY_BE_SECOND) > 0 && ((PLACES[first] ?? 0) & MAY_BE_FIRST) > 0;
}
