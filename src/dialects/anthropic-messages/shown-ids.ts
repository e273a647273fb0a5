// Ids of calls for messages clients, which take letters, digits, dashes and underscores only. Other vendors put anything
// into theirs, and want it back as it was.

import type { Opaque } from '../translate/conversation.ts';
import { tagToolId, untagToolId } from '../translate/opaque.ts';

export const ID_CHARS = /^[a-zA-Z0-9_-]+$/;
const ENCODED = 'toolu_svc1_';

export function showCallId(id: string, opaque: Opaque | undefined): string {
  const shown = ID_CHARS.test(id) ? id : `${ENCODED}${Buffer.from(id).toString('base64url')}`;
  return opaque ? tagToolId(shown, opaque) : shown;
}

export function readCallId(shown: string): { id: string; opaque: Opaque | undefined } {
  const { id, opaque } = untagToolId(shown);
  if (!id.startsWith(ENCODED)) return { id, opaque };
  return { id: Buffer.from(id.slice(ENCODED.length), 'base64url').toString(), opaque };
}
