// A compaction has the model read the whole conversation and write a summary of it, beside the answer that was asked for. No
// hold covers that, so such edits stay behind.

import { isObject, type Json, type JsonObject } from '../../kit/json/json.ts';
import { editFields, editItems, leaveOut } from '../../kit/json/raw-edit.ts';
import { type LeftBehind, NOTHING_LEFT } from './left-behind.ts';

const FIELD = 'context_management';

/** The field is a list of them in Responses, and has one in messages. */
export function leaveCompaction({ [FIELD]: management }: JsonObject): LeftBehind {
  const edits = isObject(management) ? management.edits : management;
  if (!Array.isArray(edits) || !edits.some(isCompaction)) return NOTHING_LEFT;
  const others = editItems(edits, (edit) => (isCompaction(edit) ? leaveOut : undefined));
  const edited = isObject(management) ? editFields({ edits: others }) : others;
  return { names: [FIELD], edits: { [FIELD]: edits.every(isCompaction) ? leaveOut : edited } };
}

function isCompaction(edit: Json): boolean {
  return isObject(edit) && typeof edit.type === 'string' && edit.type.startsWith('compact');
}
