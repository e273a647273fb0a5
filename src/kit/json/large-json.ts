// JSON too large to be read at one go: the same bounds and the same result as `readJsonObject`, but with a pause after
// every piece, so that everybody else is served meanwhile. Strings are parsed in pieces, and counted as they pass.

import { countTokens, newTally, type Tally, type TokenCount, tallyRare, tallyText, tokensOf } from '../tokens.ts';
import {
  BODY_LIMITS,
  hasEscape,
  type Json,
  type JsonDocument,
  type JsonLimits,
  type JsonObject,
  JsonRefused,
} from './json.ts';
import { Spans } from './spans.ts';

export interface LargeJsonOptions {
  /** Lets others have their turn. */
  pause(): Promise<void>;
  limits?: JsonLimits;
  /** Characters between two pauses. */
  pieceChars?: number;
}

interface Frame {
  value: Json[] | JsonObject;
  /** Where the next value goes; of an object only. */
  name: string;
  nameStart: number;
  nameEnd: number;
  valueStart: number;
}

const PIECE_CHARS = 64 * 1024;
/** Shorter strings are counted when somebody asks: all of them together are not long, either. */
const SHORT_CHARS = 64;
/** The longest number. */
const SCALAR_CHARS = 10_000;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const SMALL_U = 0x75;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

export async function readLargeJson(text: string, options: LargeJsonOptions): Promise<JsonDocument> {
  const { pause, limits = BODY_LIMITS, pieceChars = PIECE_CHARS } = options;
  const spans = new Spans(text);
  const members = new Map<string, Tally>();
  const strings = new Map<string, TokenCount>();
  const frames: Frame[] = [];
  let at = 0;
  let nodes = 1;
  let pausedAt = 0;

  async function breathe(): Promise<void> {
    pausedAt = at;
    await pause();
  }

  async function skipSpace(): Promise<void> {
    for (;;) {
      const stop = Math.min(text.length, at + pieceChars);
      while (at < stop && isSpace(text.charCodeAt(at))) at++;
      if (at < stop || at === text.length) break;
      await breathe();
    }
    if (at - pausedAt >= pieceChars) await breathe();
  }

  /** The string that opens here. */
  async function readString(): Promise<string> {
    const start = at;
    let end = pieceEnd(text, start + 1, start + pieceChars);
    if (text.charCodeAt(end) === QUOTE) {
      at = end + 1;
      const value = parseString(text.slice(start, at));
      if (value.length >= SHORT_CHARS) strings.set(value, countTokens(value));
      return value;
    }
    const pieces: string[] = [];
    for (let from = start + 1; ; end = pieceEnd(text, from, from + pieceChars)) {
      if (end >= text.length) throw new JsonRefused('not_json');
      pieces.push(parseString(`"${text.slice(from, end)}"`));
      at = end;
      from = end;
      await breathe();
      if (text.charCodeAt(end) === QUOTE) break;
    }
    at++;
    const value = pieces.join('');
    await breathe();
    await countSlowly(value, pieces);
    return value;
  }

  async function countSlowly(value: string, pieces: readonly string[]): Promise<void> {
    const tally = newTally();
    let before = '';
    for (const piece of pieces) {
      // Two letters may be a pair that stand in two pieces.
      tallyText(before + piece, before.length, before.length + piece.length, tally);
      tallyRare(piece, tally);
      before = piece.slice(-1);
      await pause();
    }
    strings.set(value, tokensOf(tally));
    await pause();
  }

  function readScalar(): Json {
    const start = at;
    const stop = Math.min(text.length, start + SCALAR_CHARS);
    while (at < stop && !isEnd(text.charCodeAt(at))) at++;
    // Beyond that it is no number that anybody means; a parser would work on it for long.
    return parse(text.slice(start, at));
  }

  function count(): void {
    if (++nodes > limits.nodes) throw new JsonRefused('too_many_values');
  }

  async function readName(frame: Frame): Promise<void> {
    await skipSpace();
    if (text.charCodeAt(at) !== QUOTE) throw new JsonRefused('not_json');
    frame.nameStart = at;
    frame.name = await readString();
    frame.nameEnd = at;
    if (frames.length === 1 && members.has(frame.name)) throw new JsonRefused('duplicate_member', frame.name);
    await skipSpace();
    if (text.charCodeAt(at++) !== COLON) throw new JsonRefused('not_json');
    await skipSpace();
    frame.valueStart = at;
  }

  /** A container that opens here; true if it closes at once. */
  async function open(): Promise<boolean> {
    const isList = text.charCodeAt(at++) === OPEN_BRACKET;
    count();
    if (frames.length >= limits.depth) throw new JsonRefused('too_deep');
    const frame: Frame = { value: isList ? [] : {}, name: '', nameStart: 0, nameEnd: 0, valueStart: 0 };
    frames.push(frame);
    await skipSpace();
    if (text.charCodeAt(at) === (isList ? CLOSE_BRACKET : CLOSE_BRACE)) {
      at++;
      return true;
    }
    if (!isList) await readName(frame);
    return false;
  }

  async function closeMember(frame: Frame): Promise<void> {
    const { name, nameStart: start, nameEnd, valueStart } = frame;
    spans.add(start, nameEnd, valueStart, at, hasEscape(text, start, nameEnd) ? name : undefined);
    const tally = newTally();
    for (let from = start; from < at; from += pieceChars) {
      tallyText(text, from, Math.min(at, from + pieceChars), tally);
      if (at - start > pieceChars) await pause();
    }
    members.set(name, tally);
  }

  /** The value at hand goes into its container, and what that completes into the next, until another value begins. */
  async function attach(first: Json): Promise<JsonObject | undefined> {
    let value = first;
    for (;;) {
      const frame = frames.at(-1);
      if (!frame) throw new JsonRefused('not_json');
      const { value: container } = frame;
      if (Array.isArray(container)) container.push(value);
      else setMember(container, frame.name, value);
      if (frames.length === 1) await closeMember(frame);
      await skipSpace();
      const next = text.charCodeAt(at++);
      if (next === COMMA) {
        count();
        if (!Array.isArray(container)) await readName(frame);
        return undefined;
      }
      if (next !== (Array.isArray(container) ? CLOSE_BRACKET : CLOSE_BRACE)) throw new JsonRefused('not_json');
      value = container;
      frames.pop();
      if (frames.length === 0) return value as JsonObject;
    }
  }

  async function readRoot(): Promise<JsonObject> {
    let isEmpty = await open();
    for (;;) {
      let value: Json;
      if (isEmpty) {
        value = frames.pop()?.value ?? null;
        if (frames.length === 0) return value as JsonObject;
        isEmpty = false;
      } else {
        await skipSpace();
        const code = text.charCodeAt(at);
        if (code === OPEN_BRACE || code === OPEN_BRACKET) {
          isEmpty = await open();
          continue;
        }
        value = code === QUOTE ? await readString() : readScalar();
      }
      const root = await attach(value);
      if (root) return root;
    }
  }

  await skipSpace();
  if (text.charCodeAt(at) !== OPEN_BRACE) throw new JsonRefused(beginsValue(text, at) ? 'not_object' : 'not_json');
  const value = await readRoot();
  await skipSpace();
  if (at < text.length) throw new JsonRefused('not_json');
  return { text, value, spans, counted: { members, strings } };
}

/** Where the closing quote stands, or else the first place from `stop` on that is not inside an escape. */
function pieceEnd(text: string, from: number, stop: number): number {
  const end = Math.min(stop, text.length);
  let at = from;
  while (at < end) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at;
    if (code !== BACKSLASH) at++;
    else at += text.charCodeAt(at + 1) === SMALL_U ? 6 : 2;
  }
  return at;
}

function setMember(object: JsonObject, name: string, value: Json): void {
  if (name !== '__proto__') object[name] = value;
  // An assignment would change what the object is.
  else Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
}

function beginsValue(text: string, at: number): boolean {
  return /[["\-\dtfn]/.test(text.charAt(at));
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

function isEnd(code: number): boolean {
  return code === COMMA || code === CLOSE_BRACE || code === CLOSE_BRACKET || isSpace(code);
}

function parseString(literal: string): string {
  const value = parse(literal);
  if (typeof value !== 'string') throw new JsonRefused('not_json');
  return value;
}

function parse(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    throw new JsonRefused('not_json');
  }
}
