// Texts and numbers within the bounds of a JSON schema.

import type { JsonObject } from '../../kit/json/json.ts';

const TEXT = 'demo';
const MAX_CHARS = 4_000;

const FORMATS = new Map<unknown, string>([
  ['date-time', '2026-01-01T00:00:00Z'],
  ['date', '2026-01-01'],
  ['time', '00:00:00Z'],
  ['duration', 'P1D'],
  ['email', 'demo@example.com'],
  ['hostname', 'example.com'],
  ['ipv4', '192.0.2.1'],
  ['ipv6', '2001:db8::1'],
  ['uri', 'https://example.com'],
  ['url', 'https://example.com'],
  ['uuid', '00000000-0000-4000-8000-000000000000'],
]);

export function demoText({ format, pattern, minLength, maxLength }: JsonObject): string {
  const fixed = FORMATS.get(format) ?? (typeof pattern === 'string' ? patternText(pattern) : undefined);
  if (fixed !== undefined) return fixed;
  const least = typeof minLength === 'number' ? Math.min(minLength, MAX_CHARS) : 0;
  const most = typeof maxLength === 'number' ? maxLength : MAX_CHARS;
  return TEXT.repeat(Math.max(1, Math.ceil(least / TEXT.length))).slice(
    0,
    Math.min(most, Math.max(least, TEXT.length)),
  );
}

const NO_MINIMUM = Number.NEGATIVE_INFINITY;
const NO_MAXIMUM = Number.POSITIVE_INFINITY;

/**
 * 0 if it is allowed, else the whole step next to the bound, or what lies between the bounds. An exclusive bound counts as
 * half a step inside: rounding then takes it to the next step.
 */
export function demoNumber(schema: JsonObject): number {
  const step = stepOf(schema);
  const { minimum, exclusiveMinimum, maximum, exclusiveMaximum } = schema;
  const half = step / 2;
  const low = Math.max(numberOr(minimum, NO_MINIMUM), numberOr(exclusiveMinimum, NO_MINIMUM) + half);
  const high = Math.min(numberOr(maximum, NO_MAXIMUM), numberOr(exclusiveMaximum, NO_MAXIMUM) - half);
  if (low <= 0 && high >= 0) return 0;
  if (low > 0) {
    const value = Math.ceil(low / step) * step;
    return value <= high ? value : (low + high) / 2;
  }
  const value = Math.floor(high / step) * step;
  return value >= low ? value : (low + high) / 2;
}

function stepOf({ multipleOf }: JsonObject): number {
  return typeof multipleOf === 'number' && multipleOf > 0 ? multipleOf : 1;
}

function numberOr(value: unknown, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise;
}

const MAX_PATTERN_CHARS = 500;
const MAX_PATTERN_TEXT_CHARS = 1_000;
const CLASSES: Readonly<Record<string, string>> = { d: '0', w: 'a', s: ' ', D: 'a', W: '-', S: 'a', t: '\t', n: '\n' };
/** For `[^…]`: the first of them that is not excluded. */
const OTHERS = 'a0-_ .';

/**
 * A text for a regular expression of the kind that schemas have: literals, classes, groups, alternatives and counts. It is
 * written from the pattern and never tested against it: a client's expression could take forever to run. Undefined if the
 * pattern has anything else, or is long: groups inside groups are read by recursion.
 */
function patternText(pattern: string): string | undefined {
  if (pattern.length > MAX_PATTERN_CHARS) return undefined;
  const reader = new PatternReader(pattern);
  const text = reader.readAlternatives();
  return reader.isAtEnd && text.length <= MAX_PATTERN_TEXT_CHARS && !reader.isLost ? text : undefined;
}

class PatternReader {
  readonly #pattern: string;
  #at = 0;
  /** Something in the pattern is not understood. */
  isLost = false;

  constructor(pattern: string) {
    this.#pattern = pattern;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#pattern.length;
  }

  /** The first alternative counts; the others are only skipped. */
  readAlternatives(): string {
    const first = this.#readSequence();
    while (this.#take('|')) this.#readSequence();
    return first;
  }

  #readSequence(): string {
    let text = '';
    while (!this.isAtEnd && !this.isLost && this.#peek() !== '|' && this.#peek() !== ')') {
      const atom = this.#readAtom();
      text += atom.repeat(this.#readCount(atom.length));
      if (text.length > MAX_PATTERN_TEXT_CHARS) this.isLost = true;
    }
    return text;
  }

  #readAtom(): string {
    const char = this.#next();
    if (char === '^' || char === '$') return '';
    if (char === '.') return 'a';
    if (char === '\\') return this.#readEscape();
    if (char === '[') return this.#readClass();
    return char === '(' ? this.#readGroup() : char;
  }

  #readEscape(): string {
    const char = this.#next();
    if (char === 'b') return '';
    // Back references and code points.
    if (/[1-9BpPuxkc]/.test(char)) this.isLost = true;
    return CLASSES[char] ?? char;
  }

  #readGroup(): string {
    if (this.#take('?')) {
      if (this.#take('<')) while (!this.isAtEnd && this.#next() !== '>');
      else if (!this.#take(':')) this.isLost = true;
    }
    const text = this.readAlternatives();
    if (!this.#take(')')) this.isLost = true;
    return text;
  }

  #readClass(): string {
    const isNegated = this.#take('^');
    const start = this.#at;
    let first: string | undefined;
    while (!this.isAtEnd && this.#peek() !== ']') {
      const char = this.#next();
      const meant = char === '\\' ? this.#readEscape() : char;
      first ??= meant;
    }
    const inside = this.#pattern.slice(start, this.#at);
    if (!this.#take(']')) this.isLost = true;
    if (!isNegated) return first ?? '';
    return [...OTHERS].find((char) => !inside.includes(char)) ?? '~';
  }

  /** The least that the quantifier allows. */
  #readCount(atomLength: number): number {
    const [quantifier = '', , least] = /^(?:[*+?]|(\{(\d+)(?:,\d*)?\}))\??/.exec(this.#pattern.slice(this.#at)) ?? [];
    this.#at += quantifier.length;
    if (quantifier.startsWith('*') || quantifier.startsWith('?')) return 0;
    const count = least === undefined ? 1 : Number(least);
    if (count * atomLength > MAX_PATTERN_TEXT_CHARS) this.isLost = true;
    return this.isLost ? 0 : count;
  }

  #peek(): string {
    return this.#pattern.charAt(this.#at);
  }

  #next(): string {
    return this.#pattern.charAt(this.#at++);
  }

  #take(char: string): boolean {
    if (this.isAtEnd || this.#peek() !== char) return false;
    this.#at++;
    return true;
  }
}
