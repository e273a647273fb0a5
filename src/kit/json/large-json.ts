// Reads large JSON with the same limits and the same result as `readJsonObject`, but with a pause after every step, so that
// other requests are served. Objects and lists shorter than a step are parsed at once, longer strings in steps. Nothing is
// awaited between two pauses: a promise for each of a hundred thousand values would take ten times as long as reading them.

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
} from './characters.ts';
import {
  BODY_LIMITS,
  hasEscape,
  type Json,
  type JsonDocument,
  type JsonLimits,
  type JsonObject,
  JsonRefused,
  parseJson,
} from './json.ts';
import { findStringEnd } from './skip-string.ts';
import { Spans } from './spans.ts';

interface LargeJsonOptions {
  /** Yields to other requests. */
  pause(): Promise<void>;
  limits?: JsonLimits;
  /** Characters between two pauses. */
  stepChars?: number;
}

interface Frame {
  value: Json[] | JsonObject;
  /** The name of the next member; for an object only. */
  name: string;
  nameStart: number;
  nameEnd: number;
  valueStart: number;
}

const STEP_CHARS = 64 * 1024;
/** The longest number. */
const SCALAR_CHARS = STEP_CHARS;

const SMALL_U = 0x75;

/**
 * The token that must come next:
 *
 *   value  a value → more; a container that opens → first
 *   first  the end of the container → more; else → value (list) or name (object)
 *   name   a string → colon → value
 *   more   a comma → value (list) or name (object); the end of the container → more, of the root → over
 *   over   nothing but spaces
 */
type Next = 'value' | 'first' | 'name' | 'colon' | 'more' | 'over';

export async function readLargeJson(text: string, options: LargeJsonOptions): Promise<JsonDocument> {
  const { pause, limits = BODY_LIMITS, stepChars = STEP_CHARS } = options;
  const spans = new Spans(text);
  const names = new Set<string>();
  const root: Frame = { value: {}, name: '', nameStart: 0, nameEnd: 0, valueStart: 0 };
  /** The containers that are open, the innermost last. */
  const frames: Frame[] = [];
  let frame = root;
  // A cast, because the type checker does not see that functions below change it.
  let next = 'value' as Next;
  let at = 0;
  let nodes = 1;
  let pausedAt = 0;
  /** A container longer than a step was searched up to here: containers inside it are not searched again. */
  let seenUntil = 0;

  function yieldToOthers(): Promise<void> {
    pausedAt = at;
    return pause();
  }

  /** True if a pause is due, also where there are more spaces to skip. */
  function skipSpace(): boolean {
    const stop = Math.min(text.length, pausedAt + stepChars);
    while (at < stop && isSpace(text.charCodeAt(at))) at++;
    return at - pausedAt >= stepChars;
  }

  /** The string that opens here; a promise if it is longer than a step. */
  function readString(): string | Promise<string> {
    const start = at;
    const end = stepEnd(text, start + 1, start + stepChars);
    if (text.charCodeAt(end) !== QUOTE) return readLongString(end);
    at = end + 1;
    return parseString(text.slice(start, at));
  }

  async function readLongString(firstEnd: number): Promise<string> {
    const parts: string[] = [];
    let end = firstEnd;
    for (let from = at + 1; ; end = stepEnd(text, from, from + stepChars)) {
      if (end >= text.length) throw new JsonRefused('not_json');
      parts.push(parseString(`"${text.slice(from, end)}"`));
      at = end;
      from = end;
      await yieldToOthers();
      if (text.charCodeAt(end) === QUOTE) break;
    }
    at++;
    return parts.join('');
  }

  function readScalar(): Json {
    const start = at;
    const stop = Math.min(text.length, start + SCALAR_CHARS);
    while (at < stop && !isEnd(text.charCodeAt(at))) at++;
    // Longer numbers are refused: parsing them would take long.
    return parseJson(text.slice(start, at));
  }

  function count(more = 1): void {
    nodes += more;
    if (nodes > limits.nodes) throw new JsonRefused('too_many_values');
  }

  /** The container that opens here, if it is shorter than a step. */
  function readShort(): Json | undefined {
    if (at < seenUntil) return undefined;
    const stop = Math.min(text.length, at + stepChars);
    const found = measureContainer(text, at, stop);
    if (!found) {
      seenUntil = stop;
      return undefined;
    }
    if (frames.length + found.depth > limits.depth) throw new JsonRefused('too_deep');
    count(found.values);
    const start = at;
    at = found.end;
    return parseJson(text.slice(start, at));
  }

  /** The container that opens here. */
  function open(isList: boolean): void {
    at++;
    count();
    if (frames.length >= limits.depth) throw new JsonRefused('too_deep');
    frame = { value: isList ? [] : {}, name: '', nameStart: 0, nameEnd: 0, valueStart: 0 };
    frames.push(frame);
    next = 'first';
  }

  function endName(name: string): void {
    frame.name = name;
    frame.nameEnd = at;
    if (frames.length === 1 && names.has(name)) throw new JsonRefused('duplicate_member', name);
    next = 'colon';
  }

  /** Puts a value that ends here into its container. */
  function attach(value: Json): void {
    const { value: container, name } = frame;
    if (Array.isArray(container)) container.push(value);
    else setMember(container, name, value);
    next = 'more';
    if (frames.length === 1) closeMember();
  }

  function closeMember(): void {
    const { name, nameStart: start, nameEnd, valueStart } = frame;
    spans.add(start, nameEnd, valueStart, at, hasEscape(text, start, nameEnd) ? name : undefined);
    names.add(name);
  }

  /** Puts the container that ends here into the one around it. */
  function close(): void {
    at++;
    const { value } = frame;
    frames.pop();
    frame = frames.at(-1) ?? root;
    if (frames.length > 0) attach(value);
    else {
      root.value = value;
      next = 'over';
    }
  }

  while (skipSpace()) await yieldToOthers();
  if (text.charCodeAt(at) !== OPEN_BRACE) throw new JsonRefused(beginsValue(text, at) ? 'not_object' : 'not_json');
  open(false);
  for (;;) {
    while (skipSpace()) await yieldToOthers();
    if (at >= text.length) break;
    const code = text.charCodeAt(at);
    const isList = Array.isArray(frame.value);
    const isClose = code === (isList ? CLOSE_BRACKET : CLOSE_BRACE);
    switch (next) {
      case 'first':
        if (isClose) close();
        else next = isList ? 'value' : 'name';
        break;
      case 'name': {
        if (code !== QUOTE) throw new JsonRefused('not_json');
        frame.nameStart = at;
        const name = readString();
        endName(typeof name === 'string' ? name : await name);
        break;
      }
      case 'colon':
        if (code !== COLON) throw new JsonRefused('not_json');
        at++;
        next = 'value';
        break;
      case 'value':
        frame.valueStart = at;
        if (code === OPEN_BRACE || code === OPEN_BRACKET) {
          const short = readShort();
          if (short === undefined) open(code === OPEN_BRACKET);
          else attach(short);
        } else {
          const value = code === QUOTE ? readString() : readScalar();
          attach(value instanceof Promise ? await value : value);
        }
        break;
      case 'more':
        if (isClose) close();
        else {
          if (code !== COMMA) throw new JsonRefused('not_json');
          at++;
          count();
          next = isList ? 'value' : 'name';
        }
        break;
      case 'over':
        throw new JsonRefused('not_json');
    }
  }
  if (next !== 'over') throw new JsonRefused('not_json');
  return { text, value: root.value as JsonObject, spans };
}

interface Container {
  end: number;
  depth: number;
  values: number;
}

/** The container that opens at `start`, unless it goes on at `stop`. Its syntax is left to the parser. */
function measureContainer(text: string, start: number, stop: number): Container | undefined {
  let open = 0;
  let depth = 0;
  let values = 0;
  for (let at = start; at < stop; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE: {
        const end = findStringEnd(text, at + 1, stop);
        if (end < 0) return undefined;
        at = end - 1;
        break;
      }
      case OPEN_BRACE:
      case OPEN_BRACKET:
        values++;
        depth = Math.max(depth, ++open);
        break;
      case COMMA:
        values++;
        break;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        if (--open === 0) return { end: at + 1, depth, values };
        break;
    }
  }
  return undefined;
}

/** The offset of the closing quote, or else the first offset from `stop` on that is not inside an escape. */
function stepEnd(text: string, from: number, stop: number): number {
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
  // An assignment to `__proto__` would change the prototype.
  else Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
}

function beginsValue(text: string, at: number): boolean {
  return /[["\-\dtfn]/.test(text.charAt(at));
}

function isEnd(code: number): boolean {
  return code === COMMA || code === CLOSE_BRACE || code === CLOSE_BRACKET || isSpace(code);
}

function parseString(literal: string): string {
  const value = parseJson(literal);
  if (typeof value !== 'string') throw new JsonRefused('not_json');
  return value;
}
