// What stays behind where the client's own text goes through, because the upstream would ask us for what no
// hold covers, such as work beside the answer. It is told, and everything else keeps its bytes.

import type { JsonDocument } from '../kit/json/json.ts';
import { editMember, type RawEdit } from '../kit/json/raw-edit.ts';

export interface LeftBehind {
  /** By the client's own names. */
  names: readonly string[];
  /** Of members of the body. */
  edits: Readonly<Record<string, RawEdit | undefined>>;
}

export const NOTHING_LEFT: LeftBehind = { names: [], edits: {} };

/** The same document if nothing stays behind. */
export function withoutLeft(document: JsonDocument, { edits }: LeftBehind): JsonDocument {
  return Object.entries(edits).reduce((kept, [name, edit]) => editMember(kept, name, edit), document);
}
