// JSON whose values keep their own text: read without being parsed, written without being encoded anew. A number beyond
// what JavaScript holds, an escape, the order of members: all stay as they came.

import type { Json } from './json.ts';
import { skipString } from './skip-string.ts';

/** A value as its JSON text. */
export class RawJson {
  constructor(readonly text: string) {}
}

export type RawValue = Json | RawJson | RawValue[] | { [name: string]: RawValue | undefined };

export function writeJson(value: RawValue): string {
  if (value instanceof RawJson) return value.text;
  if (Array.isArray(value)) return `[${value.map(writeJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members: string[] = [];
  for (const [name, member] of Object.entries(value)) {
    if (member !== undefined) members.push(`${JSON.stringify(name)}:${writeJson(member)}`);
  }
  return `{${members.join(',')}}`;
}

/** A place in a valid JSON text, from which one can go down. Each level is scanned once, when it is first asked for. */
export interface RawPlace {
  text: string;
  at(name: string | number): RawPlace | undefined;
}

export function openRaw(text: string): RawPlace {
  let members: Map<string | number, string> | undefined;
  const places = new Map<string | number, RawPlace>();
  return {
    text,
    at(name) {
      members ??= scanMembers(text);
      const member = members.get(name);
      if (member === undefined) return undefined;
      const place = places.get(name) ?? openRaw(member);
      places.set(name, place);
      return place;
    },
  };
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

/** The members of one level as slices of the text; the last of two with the same name counts, as in JSON.parse. */
function scanMembers(text: string): Map<string | number, string> {
  const members = new Map<string | number, string>();
  const start = skipSpace(text, 0);
  const opening = text.charCodeAt(start);
  if (!isOpening(opening)) return members;
  let at = skipSpace(text, start + 1);
  for (let index = 0; at < text.length && !isClosing(text.charCodeAt(at)); index++) {
    let name: string | number = index;
    if (opening === OPEN_BRACE) {
      const end = endOfString(text, at);
      name = JSON.parse(text.slice(at, end)) as string;
      at = skipSpace(text, skipSpace(text, end) + 1);
    }
    const end = skipValue(text, at);
    members.set(name, text.slice(at, end));
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

/** Of one that never ends, the text's. */
function endOfString(text: string, start: number): number {
  const end = skipString(text, start);
  return end < 0 ? text.length : end;
}

function skipPlain(text: string, start: number): number {
  let at = start;
  while (at < text.length && !isEnd(text.charCodeAt(at))) at++;
  return at;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (isSpace(text.charCodeAt(at))) at++;
  return at;
}

function isOpening(code: number): boolean {
  return code === OPEN_BRACE || code === OPEN_BRACKET;
}

function isClosing(code: number): boolean {
  return code === CLOSE_BRACE || code === CLOSE_BRACKET;
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

function isEnd(code: number): boolean {
  return code === COMMA || isClosing(code) || isSpace(code);
}
