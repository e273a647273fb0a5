// Whether anything of ours may stand in a request, and ids of calls without what we hung on them. Only where ids stand: what
// looks like one in a client's own text is the client's.

import type { Json, JsonDocument } from '../../kit/json/json.ts';
import { type RawEdit, setTo } from '../../kit/json/raw-edit.ts';
import { CODED_MARK, TAG, TAG_MARK, untagToolId } from './opaque.ts';

/** A cheap test on the whole body; of a long string only the beginning and the end can be ours. */
export function mayHoldTags(document: JsonDocument): boolean {
  const { outline } = document;
  if (!outline) return hasMark(document.text);
  return hasMark(outline.text) || outline.strings.some(({ literal }) => isMarked(literal) || endsInTag(literal));
}

function hasMark(text: string): boolean {
  return text.includes(TAG) || text.includes(CODED_MARK);
}

/** What a call's id becomes without what we hung on it; undefined if it stays. */
export function editId(id: Json | undefined): RawEdit | undefined {
  const { id: own, opaque } = untagToolId(typeof id === 'string' ? id : '');
  return opaque && setTo(own);
}

const MARKED = [`"${TAG_MARK}`, `"${CODED_MARK}`];

function isMarked({ buffer, byteOffset }: Uint8Array): boolean {
  return MARKED.some((mark) => Buffer.from(buffer, byteOffset, mark.length).toString('latin1') === mark);
}

/** All that may follow a tag up to the quote that ends the string is letters, digits and dashes. */
function endsInTag({ buffer, byteOffset, length }: Uint8Array): boolean {
  const literal = Buffer.from(buffer, byteOffset, length);
  const last = literal.lastIndexOf(TAG);
  return last >= 0 && literal.subarray(last, length - 1).every(isWord);
}

const WORD = new Set(Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-'));

function isWord(byte: number): boolean {
  return WORD.has(byte);
}
