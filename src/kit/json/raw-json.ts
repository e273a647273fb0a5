// JSON whose values keep their own text: read without being parsed, written without being encoded anew. A number beyond
// what JavaScript holds, an escape, the order of members: all stay as they came.

import type { Json } from './json.ts';
import { isSpace, skipSpace } from './skip-space.ts';
import { skipString } from './skip-string.ts';

/** A value as its JSON text. */
export class RawJson {
  constructor(readonly text: string) {}
}

export type RawValue = Json | RawJson | RawValue[] | { [name: string]: RawValue | undefined };

export function writeJson(value: RawValue): string {
  if (value instanceof RawJson) return value.text;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
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

/** A place in a valid JSON text, from which one can go down. Each level is scanned once, when it is first asked for. */
export interface RawPlace {
  text: string;
  at(name: string | number): RawPlace | undefined;
  /** The text with some members given as another text, or left out (undefined); every other one keeps its bytes. */
  edit(edits: RawEdits): string;
}

export type RawEdits = ReadonlyMap<string | number, string | undefined>;

interface RawMember {
  /** Of an object's member, where its name begins. */
  start: number;
  valueStart: number;
  end: number;
}

type RawMembers = ReadonlyMap<string | number, RawMember>;

export function openRaw(text: string): RawPlace {
  let scanned: RawMembers | undefined;
  let places: Map<string | number, RawPlace> | undefined;
  const members = () => {
    scanned ??= scanMembers(text);
    return scanned;
  };
  return {
    text,
    at(name) {
      const member = members().get(name);
      if (member === undefined) return undefined;
      places ??= new Map();
      const place = places.get(name) ?? openRaw(text.slice(member.valueStart, member.end));
      places.set(name, place);
      return place;
    },
    edit: (edits) => ([...edits.values()].includes(undefined) ? recompose : splice)(text, members(), edits),
  };
}

function splice(text: string, members: RawMembers, edits: RawEdits): string {
  let result = '';
  let at = 0;
  for (const [name, { valueStart, end }] of members) {
    const edit = edits.get(name);
    if (edit === undefined) continue;
    result += text.slice(at, valueStart) + edit;
    at = end;
  }
  return result + text.slice(at);
}

function recompose(text: string, members: RawMembers, edits: RawEdits): string {
  const kept: string[] = [];
  for (const [name, { start, valueStart, end }] of members) {
    const edit = edits.get(name);
    if (edit !== undefined) kept.push(text.slice(start, valueStart) + edit);
    else if (!edits.has(name)) kept.push(text.slice(start, end));
  }
  const inside = kept.join(',');
  return text.trimStart().startsWith('{') ? `{${inside}}` : `[${inside}]`;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

/** The members of one level in their order; the last of two with the same name counts, as in JSON.parse. */
function scanMembers(text: string): RawMembers {
  const members = new Map<string | number, RawMember>();
  const start = skipSpace(text, 0);
  const opening = text.charCodeAt(start);
  if (!isOpening(opening)) return members;
  let at = skipSpace(text, start + 1);
  for (let index = 0; at < text.length && !isClosing(text.charCodeAt(at)); index++) {
    let name: string | number = index;
    const first = at;
    if (opening === OPEN_BRACE) {
      const end = endOfString(text, at);
      const plain = text.slice(at + 1, end - 1);
      name = plain.includes('\\') ? (JSON.parse(text.slice(at, end)) as string) : plain;
      at = skipSpace(text, skipSpace(text, end) + 1);
    }
    const end = skipValue(text, at);
    if (members.has(name)) members.delete(name);
    members.set(name, { start: first, valueStart: at, end });
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

function isOpening(code: number): boolean {
  return code === OPEN_BRACE || code === OPEN_BRACKET;
}

function isClosing(code: number): boolean {
  return code === CLOSE_BRACE || code === CLOSE_BRACKET;
}

function isEnd(code: number): boolean {
  return code === COMMA || isClosing(code) || isSpace(code);
}
