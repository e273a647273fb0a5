// State tables for long values of an answer: a list of numbers, and a string with plain characters. They check a hundred
// megabytes as they arrive, without parsing.

export interface PlainShape {
  kind: 'numbers' | 'string';
  /** The class of each byte. */
  classes: Uint8Array;
  /** The next state for each state and class; 0 where the byte is invalid. */
  next: Uint8Array;
  first: number;
}

const OVER = 15;
const WIDTH = 16;

export function isOver(state: number): boolean {
  return state === OVER;
}

/** Runs to the byte after its end, or to the first invalid byte, with the state before that byte. */
export function runShape(
  { classes, next }: PlainShape,
  from: number,
  bytes: Uint8Array,
  start: number,
): { at: number; state: number; before: number } {
  let state = from;
  let before = from;
  let at = start;
  for (; at < bytes.length; at++) {
    before = state;
    state = next[state * WIDTH + (classes[bytes[at] ?? 0] ?? 0)] ?? 0;
    if (state === 0) break;
    if (state === OVER) return { at: at + 1, state, before };
  }
  return { at, state, before };
}

type Followers = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Classes by the bytes in them; states by name, the first one first, `over` where it ends. */
function shapeOf(kind: PlainShape['kind'], groups: Readonly<Record<string, string>>, followers: Followers): PlainShape {
  const classes = new Uint8Array(256);
  const names = Object.keys(groups);
  for (const [index, name] of names.entries()) {
    for (const char of groups[name] ?? '') classes[char.charCodeAt(0)] = index + 1;
  }
  const states = Object.keys(followers);
  const next = new Uint8Array(WIDTH * WIDTH);
  for (const [index, state] of states.entries()) {
    for (const [name, follower] of Object.entries(followers[state] ?? {})) {
      const to = follower === 'over' ? OVER : states.indexOf(follower) + 1;
      next[(index + 1) * WIDTH + names.indexOf(name) + 1] = to;
    }
  }
  return { kind, classes, next, first: 1 };
}

const AFTER = { space: 'after', comma: 'value', close: 'over' };

/** From its first number on. An exponent has two digits: with three a number may be more than one can be. */
export const NUMBERS = shapeOf(
  'numbers',
  { zero: '0', digit: '123456789', minus: '-', plus: '+', dot: '.', e: 'eE', comma: ',', close: ']', space: ' \n\r\t' },
  {
    value: { space: 'value', minus: 'minus', zero: 'zero', digit: 'whole' },
    minus: { zero: 'zero', digit: 'whole' },
    zero: { dot: 'dot', e: 'e', ...AFTER },
    whole: { zero: 'whole', digit: 'whole', dot: 'dot', e: 'e', ...AFTER },
    dot: { zero: 'part', digit: 'part' },
    part: { zero: 'part', digit: 'part', e: 'e', ...AFTER },
    e: { minus: 'sign', plus: 'sign', zero: 'power', digit: 'power' },
    sign: { zero: 'power', digit: 'power' },
    power: { zero: 'longPower', digit: 'longPower', ...AFTER },
    longPower: AFTER,
    after: AFTER,
  },
);

const LETTERS = Array.from({ length: 0x7f - 0x20 }, (_, index) => String.fromCharCode(0x20 + index)).join('');

/** From its first character on, which is not the quote that ends it; some write a slash of base64 as an escape. */
export const STRING = shapeOf(
  'string',
  { plain: LETTERS.replace(/["\\/]/g, ''), slash: '/', backslash: '\\', quote: '"' },
  {
    open: { plain: 'inside', slash: 'inside', backslash: 'escaped' },
    inside: { plain: 'inside', slash: 'inside', backslash: 'escaped', quote: 'over' },
    escaped: { slash: 'inside' },
  },
);

/** After a backslash, before the escaped character. */
export function isEscaping(shape: PlainShape, state: number): boolean {
  return shape === STRING && state === 3;
}
