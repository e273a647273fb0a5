// The positions of an object's top-level members in its text, in order. Names are decoded on demand, because most members
// are only passed on.

export interface Span {
  name: string;
  /** Offset of the opening quote of the name. */
  start: number;
  valueStart: number;
  valueEnd: number;
}

/** A new text for the value of a member, or its removal. */
export type MemberEdit = string | typeof REMOVED;
export const REMOVED = null;

/** By the number of the member; undefined where it stays as it is. */
type Edits = readonly (MemberEdit | undefined)[];

/** Numbers for each member: where its name begins and ends, quotes included, and its value. */
const START = 0;
const NAME_END = 1;
const VALUE_START = 2;
const VALUE_END = 3;
const PER_MEMBER = 4;

export class Spans {
  readonly #text: string;
  readonly #places: number[] = [];
  /** Names with escapes, by the number of their member. */
  #unescaped: Map<number, string> | undefined;
  /** Counts for the whole text: values at any depth, and objects and lists in lists of the top level. */
  values = 0;
  items = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** `unescaped`: the name, if it is written with escapes. */
  add(start: number, nameEnd: number, valueStart: number, valueEnd: number, unescaped: string | undefined): void {
    if (unescaped !== undefined) {
      this.#unescaped ??= new Map();
      this.#unescaped.set(this.count, unescaped);
    }
    this.#places.push(start, nameEnd, valueStart, valueEnd);
  }

  get count(): number {
    return this.#places.length / PER_MEMBER;
  }

  name(index: number): string {
    return this.#unescaped?.get(index) ?? this.#text.slice(this.start(index) + 1, this.#place(index, NAME_END) - 1);
  }

  isNamed(index: number, name: string): boolean {
    const unescaped = this.#unescaped?.get(index);
    if (unescaped !== undefined) return unescaped === name;
    const from = this.start(index) + 1;
    return from + name.length + 1 === this.#place(index, NAME_END) && this.#text.startsWith(name, from);
  }

  start(index: number): number {
    return this.#place(index, START);
  }

  valueStart(index: number): number {
    return this.#place(index, VALUE_START);
  }

  valueEnd(index: number): number {
    return this.#place(index, VALUE_END);
  }

  /** The last of several members with the same name counts, as in JSON.parse; -1 if there is none. */
  find(name: string): number {
    for (let index = this.count - 1; index >= 0; index--) if (this.isNamed(index, name)) return index;
    return -1;
  }

  has(name: string): boolean {
    return this.find(name) >= 0;
  }

  get(name: string): Span | undefined {
    const index = this.find(name);
    return index < 0 ? undefined : this.#span(index, name);
  }

  list(): Span[] {
    return Array.from({ length: this.count }, (_, index) => this.#span(index, this.name(index)));
  }

  /** The text from one place to another, with other values for some members. */
  replace(edits: Edits, from: number, to: number): string {
    let result = '';
    let at = from;
    for (let index = 0; index < edits.length; index++) {
      const edit = edits[index];
      if (typeof edit !== 'string') continue;
      result += this.#text.slice(at, this.valueStart(index)) + edit;
      at = this.valueEnd(index);
    }
    return result + this.#text.slice(at, to);
  }

  /** The texts of the members, with other values for some, and without those that are removed. */
  kept(edits: Edits): string[] {
    const kept: string[] = [];
    for (let index = 0; index < this.count; index++) {
      const edit = edits[index];
      if (edit === undefined) kept.push(this.#text.slice(this.start(index), this.valueEnd(index)));
      else if (edit !== REMOVED) kept.push(this.#text.slice(this.start(index), this.valueStart(index)) + edit);
    }
    return kept;
  }

  /** The first name that another member had before. */
  findTwice(): string | undefined {
    const names = new Set<string>();
    for (let index = 0; index < this.count; index++) {
      const name = this.name(index);
      if (names.has(name)) return name;
      names.add(name);
    }
    return undefined;
  }

  /** The same members in another text, all but one if that is left out. */
  moved(text: string, placeOf: (place: number) => number, leftOut?: string): Spans {
    const moved = new Spans(text);
    const left = leftOut === undefined ? -1 : this.find(leftOut);
    for (let index = 0; index < this.count; index++) {
      if (index === left) continue;
      const nameEnd = placeOf(this.#place(index, NAME_END));
      const valueStart = placeOf(this.valueStart(index));
      const valueEnd = placeOf(this.valueEnd(index));
      moved.add(placeOf(this.start(index)), nameEnd, valueStart, valueEnd, this.#unescaped?.get(index));
    }
    return moved;
  }

  #place(index: number, which: number): number {
    return this.#places[index * PER_MEMBER + which] ?? 0;
  }

  #span(index: number, name: string): Span {
    return { name, start: this.start(index), valueStart: this.valueStart(index), valueEnd: this.valueEnd(index) };
  }
}
