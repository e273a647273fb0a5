// A compaction makes the model read the whole conversation and write a summary beside the answer. No hold covers that, so such
// edits are removed.

import { isObject, type Json, type JsonObject } from '../../kit/json/json.ts';
import { editFields, editItems, remove } from '../../kit/json/raw-edit.ts';
import { NO_REMOVALS, type Removals } from './removals.ts';

const FIELD = 'context_management';

/** The field is a list of them in Responses, and has one in messages. */
export function removeCompaction({ [FIELD]: management }: JsonObject): Removals {
  const edits = isObject(management) ? management.edits : management;
  if (!Array.isArray(edits) || !edits.some(isCompaction)) return NO_REMOVALS;
  const others = editItems(edits, (edit) => (isCompaction(edit) ? remove : undefined));
  const edited = isObject(management) ? editFields({ edits: others }) : others;
  return { names: [FIELD], edits: { [FIELD]: edits.every(isCompaction) ? remove : edited } };
}

function isCompaction(edit: Json): boolean {
  return isObject(edit) && typeof edit.type === 'string' && edit.type.startsWith('compact');
}
