// A request's JSON, of which most is only passed on: bytes stay bytes from the client to the upstream. Long strings are not
// even decoded before somebody reads them, and what is changed on the way are a few members around them.
//
// Start here. json.ts has the types, the bounds and the edits of the top level, spans.ts where its members stand,
// large-json.ts the same reading in pieces; raw-json.ts and raw-edit.ts look at and change the text of values deeper down.
// Below them: long-strings.ts and plain-text.ts for strings that stay bytes, long-members.ts and plain-shapes.ts for what
// stays so of an answer, skip-space.ts and skip-string.ts to walk over a text, scan-text.ts, scan-bytes.ts and wasm-code.ts
// to do so sixteen bytes at a time.

import { assert } from '../assert.ts';
import {
  asMembers,
  BODY_LIMITS,
  editMembers,
  type Json,
  type JsonDocument,
  type JsonObject,
  JsonRefused,
  type OutlinedText,
  readJsonObject,
  scanTopLevel,
} from './json.ts';
import { fillMarks, outlineOf, parseOutline } from './long-strings.ts';
import type { Spans } from './spans.ts';

/** A request's text as it goes on: bytes stay bytes. */
export type JsonBody = string | Uint8Array<ArrayBuffer>;

/** The same document as of the text; refuses bytes that are not UTF-8, too. */
export function readRequestJson(bytes: Uint8Array<ArrayBuffer>): JsonDocument {
  return readOutlined(bytes) ?? readJsonObject(decode(bytes));
}

/** Undefined if only the whole text can tell what it is, or what is wrong with it. */
function readOutlined(bytes: Uint8Array<ArrayBuffer>): JsonDocument | undefined {
  const outline = outlineOf(bytes);
  if (!outline) return undefined;
  try {
    const spans = scanTopLevel(outline.text, BODY_LIMITS);
    return outlined(bytes, { ...outline, spans }, asMembers(parseOutline(outline) as Json, spans));
  } catch {
    return undefined;
  }
}

function outlined(bytes: Uint8Array<ArrayBuffer>, outline: OutlinedText, value: JsonObject): JsonDocument {
  let text: string | undefined;
  let spans: Spans | undefined;
  return {
    value,
    outline,
    get text() {
      assert(!bytes.buffer.detached, 'a request is read before it is dropped');
      text ??= decode(bytes);
      return text;
    },
    get spans() {
      spans ??= spansIn(this.text, outline);
      return spans;
    },
  };
}

function spansIn(text: string, { spans, strings }: OutlinedText): Spans {
  return spans.moved(text, (place) =>
    strings.reduce((at, { start, end, chars }) => (start < place ? at + chars - (end - start) : at), place),
  );
}

/** Like `editMembers`, for a request on its way. */
export function editBody(document: JsonDocument, edits: Record<string, Json | undefined>): JsonBody {
  const { outline } = document;
  if (!outline) return editMembers(document, edits);
  return fillMarks(editMembers({ ...outline, value: document.value }, edits), outline.strings);
}

// Memory of this size is given back at once where it is sure that nobody reads it any more: the garbage collector would let
// so much of it gather that every request began on pages that the system has to bring anew.

/** Its text and its long strings cannot be read afterwards. */
export function dropRequest({ outline }: JsonDocument): void {
  outline?.strings[0]?.literal.buffer.transfer(0);
}

export function dropBody(body: JsonBody): void {
  if (typeof body !== 'string') body.buffer.transfer(0);
}

const WHOLE = new TextDecoder('utf-8', { fatal: true });

function decode(bytes: Uint8Array<ArrayBuffer>): string {
  try {
    return WHOLE.decode(bytes);
  } catch {
    throw new JsonRefused('not_utf8');
  }
}
