// Reads the head of a `data:` URL, which is the part before its first comma. The URL may be as long as a body, so no pattern
// is applied to it: backtracking would block other requests.

import type { MediaSource } from '../translate/conversation.ts';

interface DataHead {
  /** As it is written; empty if it has none. */
  mediaType: string;
  isBase64: boolean;
  /** With its comma: the data begin there. */
  chars: number;
}

const SCHEME = 'data:';
const BASE64 = ';base64';

/** Undefined if the text is no such address. */
export function readDataHead(address: string): DataHead | undefined {
  if (address.slice(0, SCHEME.length).toLowerCase() !== SCHEME) return undefined;
  const comma = address.indexOf(',');
  if (comma === -1) return undefined;
  const label = address.slice(SCHEME.length, comma);
  const options = label.indexOf(';');
  return {
    mediaType: options === -1 ? label : label.slice(0, options),
    isBase64: label.slice(-BASE64.length).toLowerCase() === BASE64,
    chars: comma + 1,
  };
}

export function addressOf(source: MediaSource): string {
  return source.kind === 'url' ? source.url : `data:${source.mediaType};base64,${source.data}`;
}
