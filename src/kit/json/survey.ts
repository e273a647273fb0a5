// A look at a body before it is parsed: how many values it has, and the text of one top-level member. Nothing is built, and
// strings are skipped at the speed of memory, so it costs a small part of the parse.

import { isSpace } from './scan/skip-space.ts';
import { skipString } from './scan/skip-string.ts';

export interface Survey {
  /** As the bounds of a parse count them, as far as it would come; the most that was asked for if they may be more. */
  values: number;
  /** Objects and lists in lists of the top level, such as turns and tools; as far as they were counted. */
  items: number;
  /** The member's text; undefined if there is none, or if only a parse can tell. */
  member: string | undefined;
}

/** Characters outside of strings that are looked at: a larger body is mostly strings, or not worth a look. */
const MOST_STEPS = 1024 * 1024;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

const ITEM_DEPTH = 3;
const PLAIN = /^[ !#-[\]-~]*$/;

export function surveyJson(text: string, name: string, mostValues: number): Survey {
  const wanted = `"${name}"`;
  let values = 1;
  let items = 0;
  let member: string | undefined;
  /** False where only the parse can say what the member is, or what is wrong. */
  let isClear = true;
  let depth = 0;
  let steps = 0;
  /** At the top level: where the member's value begins, or what stands before it. */
  let place: 'name' | 'other' | 'colon' | 'value' = 'other';
  for (let at = 0; at < text.length; at++) {
    if (++steps > MOST_STEPS) return { values: mostValues, items, member: undefined };
    const code = text.charCodeAt(at);
    if (isSpace(code)) continue;
    if (depth === 0) isClear &&= code === OPEN_BRACE && values === 1;
    switch (code) {
      case QUOTE: {
        const end = skipString(text, at);
        if (end < 0) return { values, items, member: undefined };
        if (depth === 1 && place === 'name') {
          place = end - at === wanted.length && text.startsWith(wanted, at) ? 'colon' : 'other';
        } else if (depth === 1 && place === 'value') {
          const inside = text.slice(at + 1, end - 1);
          isClear &&= member === undefined && PLAIN.test(inside);
          member = inside;
          place = 'other';
        }
        at = end - 1;
        break;
      }
      case COLON:
        if (depth === 1 && place === 'colon') place = 'value';
        break;
      case OPEN_BRACE:
      case OPEN_BRACKET:
        if (++values >= mostValues) return { values: mostValues, items, member: undefined };
        if (++depth === 1) place = 'name';
        else if (depth === ITEM_DEPTH) items++;
        break;
      case COMMA:
        if (++values >= mostValues) return { values: mostValues, items, member: undefined };
        if (depth === 1) place = 'name';
        break;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        depth--;
        break;
    }
  }
  return { values, items, member: isClear && depth === 0 ? member : undefined };
}
