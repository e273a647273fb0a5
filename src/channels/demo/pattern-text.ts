// A text for a regular expression of the kind that schemas have: literals, classes, groups, alternatives and counts. It is
// written from the pattern and never tested against it: a client's expression could take forever to run.

const MAX_PATTERN_CHARS = 500;
const MAX_CHARS = 1_000;
const CLASSES: Readonly<Record<string, string>> = { d: '0', w: 'a', s: ' ', D: 'a', W: '-', S: 'a', t: '\t', n: '\n' };
/** For `[^…]`: the first of them that is not excluded. */
const OTHERS = 'a0-_ .';

/** Undefined if the pattern has anything else, or is long: groups inside groups are read by recursion. */
export function patternText(pattern: string): string | undefined {
  if (pattern.length > MAX_PATTERN_CHARS) return undefined;
  const reader = new PatternReader(pattern);
  const text = reader.readAlternatives();
  return reader.isAtEnd && text.length <= MAX_CHARS && !reader.isLost ? text : undefined;
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
      if (text.length > MAX_CHARS) this.isLost = true;
    }
    return text;
  }

  #readAtom(): string {
    const char = this.#next();
    switch (char) {
      case '^':
      case '$':
        return '';
      case '.':
        return 'a';
      case '\\':
        return this.#readEscape();
      case '[':
        return this.#readClass();
      case '(':
        return this.#readGroup();
      default:
        return char;
    }
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
    if (count * atomLength > MAX_CHARS) this.isLost = true;
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
