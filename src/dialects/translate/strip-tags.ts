// Whether anything of ours may stand in a request, and ids of calls without what we hung on them. Only where ids stand: what
// looks like one in a client's own text is the client's.

import type { Json, JsonDocument } from '../../kit/json/json.ts';
import { type RawEdit, setTo } from '../../kit/json/raw-edit.ts';
import { CODED_MARK, TAG, untagToolId } from './opaque.ts';

/** A cheap test on the whole body. */
export function mayHoldTags({ text }: JsonDocument): boolean {
  return text.includes(TAG) || text.includes(CODED_MARK);
}

/** What a call's id becomes without what we hung on it; undefined if it stays. */
export function editId(id: Json | undefined): RawEdit | undefined {
  const { id: own, opaque } = untagToolId(typeof id === 'string' ? id : '');
  return opaque && setTo(own);
}
