// Media as an address: their own, or one that holds all of them.

import type { MediaSource } from '../translate/conversation.ts';

export function addressOf(source: MediaSource): string {
  return source.kind === 'url' ? source.url : `data:${source.mediaType};base64,${source.data}`;
}
