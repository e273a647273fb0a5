// A compaction has the model read the whole conversation and write a summary of it, beside the answer that was asked for. No
// hold covers that, so such edits stay behind.

import { isObject, type Json, type JsonObject } from '../../kit/json/json.ts';
import { editFields, editItems, leaveOut } from '../../kit/json/raw-edit.ts';
import { type LeftBehind, NOTHING_LEFT } from '../left-behind.ts';

const FIELD = 'context_management';

export function leaveCompaction({ [FIELD]: management }: JsonObject): LeftBehind {
  if (!isObject(management) || !Array.isArray(management.edits)) return NOTHING_LEFT;
  const { edits } = management;
  if (!edits.some(isCompaction)) return NOTHING_LEFT;
  const others = editFields({ edits: editItems(edits, (edit) => (isCompaction(edit) ? leaveOut : undefined)) });
  return { names: [FIELD], edits: { [FIELD]: edits.every(isCompaction) ? leaveOut : others } };
}

function isCompaction(edit: Json): boolean {
  return isObject(edit) && typeof edit.type === 'string' && edit.type.startsWith('compact');
}
