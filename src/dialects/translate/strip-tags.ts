// Whether a request may contain our tags, and ids of calls without the tags that we appended. Only in fields for ids: similar
// text of the client stays.

import type { Json, JsonDocument } from '../../kit/json/json.ts';
import { type RawEdit, setTo } from '../../kit/json/raw-edit.ts';
import { CODED_MARK, TAG, untagToolId } from './opaque.ts';

/** A cheap test on the whole body. */
export function mayHoldTags({ text }: JsonDocument): boolean {
  return text.includes(TAG) || text.includes(CODED_MARK);
}

/** A call's id without our tag; undefined if it has none. */
export function editId(id: Json | undefined): RawEdit | undefined {
  const { id: own, opaque } = untagToolId(typeof id === 'string' ? id : '');
  return opaque && setTo(own);
}
