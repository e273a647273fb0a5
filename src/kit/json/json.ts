// JSON from outside: bounded before it is parsed, and open to small edits of its top level without touching another
// byte. `JSON.parse` alone would accept a million nested arrays, and would let two `model` members mean two things.

import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  isSpace,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  skipSpace,
} from './characters.ts';
import { findStringEnd } from './skip-string.ts';
import { type MemberEdit, REMOVED, Spans } from './spans.ts';

export type Json = null | boolean | number | string | Json[] | JsonObject;
export type JsonObject = { [name: string]: Json | undefined };

export interface JsonLimits {
  depth: number;
  nodes: number;
  /** Limits for the top level, whose members are read many times. */
  members?: { count: number; nameChars: number };
}

/** The limit for a client's body. */
export const BODY_LIMITS: JsonLimits = { depth: 64, nodes: 100_000, members: { count: 1_000, nameChars: 1_000 } };
/** The limit for an upstream's answer or one of its events: the last event of a stream may repeat the whole answer. */
export const ANSWER_LIMITS: JsonLimits = { depth: 256, nodes: 5_000_000 };

/** An object with its source text and the position of each top-level member. */
export interface JsonDocument {
  text: string;
  value: JsonObject;
  spans: Spans;
}

export type JsonProblem =
  | 'not_json'
  | 'not_object'
  | 'too_deep'
  | 'too_many_values'
  | 'too_many_members'
  | 'duplicate_member';

export class JsonRefused extends Error {
  override name = 'JsonRefused';
  constructor(
    readonly problem: JsonProblem,
    readonly member?: string,
  ) {
    super(problem);
  }
}

export function readJsonObject(text: string, limits: JsonLimits = BODY_LIMITS): JsonDocument {
  return parseScanned(text, scanTopLevel(text, limits));
}

/** An answer of an upstream, or one event of it. Throws JsonRefused. */
export function readAnswerJson(text: string): JsonDocument {
  return readJsonObject(text, ANSWER_LIMITS);
}

/** The same; undefined if it is refused. */
export function tryReadAnswerJson(text: string): JsonDocument | undefined {
  try {
    return readAnswerJson(text);
  } catch (error) {
    if (error instanceof JsonRefused) return undefined;
    throw error;
  }
}

export function parseScanned(text: string, spans: Spans): JsonDocument {
  return { text, value: parseMembers(text, spans), spans };
}

/** The value of a text whose members are known. */
export function parseMembers(text: string, spans: Spans): JsonObject {
  const value = tryParseJson(text);
  return value === undefined ? refuseText(spans) : asMembers(value, spans);
}

/** A parsed value with fewer members than its text has a repeated member. */
function asMembers(value: Json, spans: Spans): JsonObject {
  if (!isObject(value)) throw new JsonRefused('not_object');
  if (Object.keys(value).length < spans.count) throw refused('duplicate_member', spans);
  return value;
}

/** Parses without bounds or spans: for text of our own making, and for small upstream events. */
export function tryParseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** The same, but throws JsonRefused. */
export function parseJson(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    throw new JsonRefused('not_json');
  }
}

/** The objects of a list; empty for other values. */
export function objectsOf(value: Json | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The text with some top-level members set, or removed (undefined); every other member keeps its bytes. */
export function editMembers({ text, spans }: JsonDocument, edits: Record<string, Json | undefined>): string {
  const byIndex: (MemberEdit | undefined)[] = [];
  const added: string[] = [];
  let isRecomposed = false;
  for (const name in edits) {
    const value = edits[name];
    const index = spans.find(name);
    if (value === undefined || index < 0) isRecomposed = true;
    if (index >= 0) byIndex[index] = value === undefined ? REMOVED : JSON.stringify(value);
    else if (value !== undefined) added.push(`${JSON.stringify(name)}:${JSON.stringify(value)}`);
  }
  return isRecomposed ? `{${added.concat(spans.kept(byIndex)).join()}}` : spans.replace(byIndex, 0, text.length);
}

/** In lists of the top level, such as messages and tools. */
const ITEM_DEPTH = 3;

/** Counts depth and values, and finds the top-level members; syntax and repeated members are left to who parses the text. */
export function scanTopLevel(text: string, limits: JsonLimits): Spans {
  const scan = new TopLevelScan(text, limits);
  scan.run(text.length);
  return scan.spans;
}

/** The same in one step or in several. */
export class TopLevelScan {
  readonly spans: Spans;
  readonly #text: string;
  readonly #limits: JsonLimits;
  #at = 0;
  #depth = 0;
  #nodes = 1;
  #items = 0;
  #nameStart = -1;
  #nameEnd = -1;
  #valueStart = -1;
  /** Start of the current string; -1 outside strings. */
  #stringStart = -1;

  constructor(text: string, limits: JsonLimits) {
    this.spans = new Spans(text);
    this.#text = text;
    this.#limits = limits;
  }

  /** Scans up to about `stop`; true once the whole text is scanned. Throws JsonRefused. */
  run(stop: number): boolean {
    try {
      this.#walk(Math.min(stop, this.#text.length));
    } finally {
      this.spans.values = this.#nodes;
      this.spans.items = this.#items;
    }
    if (this.#at < this.#text.length) return false;
    if (this.#stringStart >= 0) refuseText(this.spans);
    return true;
  }

  #walk(stop: number): void {
    const text = this.#text;
    let at = this.#at;
    while (at < stop) {
      if (this.#stringStart >= 0) {
        const end = findStringEnd(text, at, stop);
        at = end < 0 ? ~end : end;
        if (end >= 0) this.#endString(end);
        continue;
      }
      switch (text.charCodeAt(at)) {
        case QUOTE:
          this.#stringStart = at;
          break;
        case COLON:
          if (this.#depth === 1 && this.#nameStart >= 0 && this.#valueStart < 0) {
            this.#valueStart = skipSpace(text, at + 1);
          }
          break;
        case OPEN_BRACE:
        case OPEN_BRACKET:
          this.#countValue();
          if (++this.#depth > this.#limits.depth) throw refused('too_deep', this.spans);
          if (this.#depth === ITEM_DEPTH) this.#items++;
          break;
        case COMMA:
          this.#countValue();
          this.#endMember(at);
          break;
        case CLOSE_BRACE:
        case CLOSE_BRACKET:
          this.#endMember(at);
          this.#depth--;
          break;
      }
      at++;
    }
    this.#at = at;
  }

  #countValue(): void {
    if (++this.#nodes > this.#limits.nodes) throw refused('too_many_values', this.spans);
  }

  /** The first string of a member is its name. */
  #endString(end: number): void {
    if (this.#depth === 1 && this.#nameStart < 0) {
      this.#nameStart = this.#stringStart;
      this.#nameEnd = end;
    }
    this.#stringStart = -1;
  }

  #endMember(end: number): void {
    if (this.#depth !== 1 || this.#valueStart < 0) return;
    const { members } = this.#limits;
    if (members && (this.spans.count >= members.count || this.#nameEnd - this.#nameStart > members.nameChars)) {
      throw refused('too_many_members', this.spans);
    }
    addSpan(this.spans, this.#text, this.#nameStart, this.#nameEnd, this.#valueStart, end);
    this.#nameStart = -1;
    this.#valueStart = -1;
  }
}

/** Adds the member that ends at `end`. */
function addSpan(spans: Spans, text: string, start: number, nameEnd: number, valueStart: number, end: number): void {
  let valueEnd = end;
  while (isSpace(text.charCodeAt(valueEnd - 1))) valueEnd--;
  const isEscaped = hasEscape(text, start, nameEnd);
  spans.add(
    start,
    nameEnd,
    valueStart,
    valueEnd,
    isEscaped ? readEscaped(text.slice(start, nameEnd), spans) : undefined,
  );
}

export function hasEscape(text: string, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (text.charCodeAt(at) === BACKSLASH) return true;
  return false;
}

/** The name with its quotes. */
function readEscaped(literal: string, spans: Spans): string {
  const name = tryParseJson(literal);
  return typeof name === 'string' ? name : refuseText(spans);
}

function refuseText(spans: Spans): never {
  throw refused('not_json', spans);
}

/** A repeated member is reported if it comes before every other error. */
function refused(problem: JsonProblem, spans: Spans): JsonRefused {
  const twice = spans.findTwice();
  return twice === undefined ? new JsonRefused(problem) : new JsonRefused('duplicate_member', twice);
}
