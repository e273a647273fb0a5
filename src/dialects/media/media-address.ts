// The URL of media: their own address, or a data URL that contains them.

import type { MediaSource } from '../translate/conversation.ts';

export function addressOf(source: MediaSource): string {
  return source.kind === 'url' ? source.url : `data:${source.mediaType};base64,${source.data}`;
}
