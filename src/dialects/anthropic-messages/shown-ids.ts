// Encodes ids of calls for messages clients, which accept only letters, digits, dashes and underscores. Ids of other vendors
// may have any characters, and must be sent back unchanged.

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
