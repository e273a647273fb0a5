// JSON whose values keep their text: read without parsing, written without encoding. Large numbers, escapes and the order of
// members stay unchanged.

import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COMMA,
  isSpace,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  skipSpace,
} from './characters.ts';
import { hasEscape, type Json, type JsonDocument } from './json.ts';
import { skipString } from './skip-string.ts';
import { type MemberEdit, REMOVED, Spans } from './spans.ts';

/** A value as its JSON text. */
export class RawJson {
  constructor(readonly text: string) {}
}

export type RawValue = Json | RawJson | RawValue[] | { [name: string]: RawValue | undefined };

export function writeJson(value: RawValue): string {
  if (value instanceof RawJson) return value.text;
  if (!hasRaw(value)) return JSON.stringify(value);
  let text = '';
  if (Array.isArray(value)) {
    for (const item of value) text += `${text === '' ? '' : ','}${writeJson(item)}`;
    return `[${text}]`;
  }
  for (const name of Object.keys(value)) {
    const member = value[name];
    if (member !== undefined) text += `${text === '' ? '' : ','}${JSON.stringify(name)}:${writeJson(member)}`;
  }
  return `{${text}}`;
}

function hasRaw(value: RawValue | undefined): value is RawJson | RawValue[] | { [name: string]: RawValue | undefined } {
  if (typeof value !== 'object' || value === null) return false;
  if (value instanceof RawJson) return true;
  if (Array.isArray(value)) return value.some(hasRaw);
  for (const name in value) if (hasRaw(value[name])) return true;
  return false;
}

/** A value in a valid JSON text, with access to its members. Each level is scanned once, on first access. */
export class RawPlace {
  readonly #source: string;
  readonly #start: number;
  readonly #end: number;
  #members: Spans | undefined;
  readonly #places: (RawPlace | undefined)[] = [];

  constructor(source: string, start: number, end: number) {
    this.#source = source;
    this.#start = start;
    this.#end = end;
  }

  get text(): string {
    return this.#source.slice(this.#start, this.#end);
  }

  /** How many members or items it has; a repeated member counts each time. */
  get count(): number {
    return this.#scanned().count;
  }

  /** A member by its name, an item by its index. */
  at(name: string | number): RawPlace | undefined {
    const index = this.#find(name);
    if (index < 0) return undefined;
    const members = this.#scanned();
    this.#places[index] ??= new RawPlace(this.#source, members.valueStart(index), members.valueEnd(index));
    return this.#places[index];
  }

  /** The text with some members given as another text, or left out (undefined); every other one keeps its bytes. */
  edit(edits: ReadonlyMap<string | number, string | undefined>): string {
    const byIndex: (MemberEdit | undefined)[] = [];
    for (const [name, edit] of edits) {
      const index = this.#find(name);
      if (index >= 0) byIndex[index] = edit ?? REMOVED;
    }
    const hasRemoved = [...edits.values()].includes(undefined);
    const members = this.#scanned();
    if (!hasRemoved) return members.replace(byIndex, this.#start, this.#end);
    const inside = members.kept(byIndex).join(',');
    return this.#isList() ? `[${inside}]` : `{${inside}}`;
  }

  #find(name: string | number): number {
    const members = this.#scanned();
    if (typeof name === 'string') return this.#isList() ? -1 : members.find(name);
    return this.#isList() && name >= 0 && name < members.count ? name : -1;
  }

  #isList(): boolean {
    return this.#source.charCodeAt(skipSpace(this.#source, this.#start)) === OPEN_BRACKET;
  }

  #scanned(): Spans {
    this.#members ??= scanMembers(this.#source, this.#start, this.#end);
    return this.#members;
  }
}

export function openRaw(text: string): RawPlace {
  return new RawPlace(text, 0, text.length);
}

/** A top-level member of a document, whose position is already known. */
export function openMember({ text, spans }: Pick<JsonDocument, 'text' | 'spans'>, name: string): RawPlace | undefined {
  const span = spans.get(name);
  return span && new RawPlace(text, span.valueStart, span.valueEnd);
}

/** The members of one level in their order. An item of a list has no name. */
function scanMembers(text: string, from: number, to: number): Spans {
  const members = new Spans(text);
  const start = skipSpace(text, from);
  const opening = text.charCodeAt(start);
  if (!isOpening(opening)) return members;
  let at = skipSpace(text, start + 1);
  while (at < to && !isClosing(text.charCodeAt(at))) {
    const first = at;
    let nameEnd = at;
    if (opening === OPEN_BRACE) {
      nameEnd = endOfString(text, at);
      at = skipSpace(text, skipSpace(text, nameEnd) + 1);
    }
    const end = skipValue(text, at);
    const isEscaped = hasEscape(text, first, nameEnd);
    members.add(first, nameEnd, at, end, isEscaped ? (JSON.parse(text.slice(first, nameEnd)) as string) : undefined);
    at = skipSpace(text, end);
    if (text.charCodeAt(at) === COMMA) at = skipSpace(text, at + 1);
  }
  return members;
}

function skipValue(text: string, start: number): number {
  const first = text.charCodeAt(start);
  if (first === QUOTE) return endOfString(text, start);
  if (!isOpening(first)) return skipPlain(text, start);
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at) - 1;
    else if (isOpening(code)) depth++;
    else if (isClosing(code) && --depth === 0) return at + 1;
  }
  return text.length;
}

/** The end of the text for a value that never ends. */
function endOfString(text: string, start: number): number {
  const end = skipString(text, start);
  return end < 0 ? text.length : end;
}

function skipPlain(text: string, start: number): number {
  let at = start;
  while (at < text.length && !isEnd(text.charCodeAt(at))) at++;
  return at;
}

function isOpening(code: number): boolean {
  return code === OPEN_BRACE || code === OPEN_BRACKET;
}

function isClosing(code: number): boolean {
  return code === CLOSE_BRACE || code === CLOSE_BRACKET;
}

function isEnd(code: number): boolean {
  return code === COMMA || isClosing(code) || isSpace(code);
}
