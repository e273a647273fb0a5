// The id of a detail that we wrote. Clients of OpenRouter's format keep an id, and no field that the format does not know: so
// it says once more who made the thought, and whether it stood first. With a digest, since some clients join details under
// the first one's id, and a signature holds for its own words alone.

import { isObject, type Json, type JsonObject } from '../../kit/json/json.ts';
import { readOwnSignature, readTagged, signOwn } from '../translate/opaque.ts';

interface Maker {
  origin: string;
  isMoved: boolean;
}

const MOVED = '-moved';

/** `content`: the text of the detail, or its sealed data. */
export function writeDetailId(origin: string, content: string, isMoved: boolean): string {
  return signOwn(origin, content) + (isMoved ? MOVED : '');
}

/** The maker of a detail; undefined if it is unknown, or if the content has changed. */
export function readMaker({ origin, moved, id, text, data }: JsonObject): Maker | undefined {
  if (typeof origin === 'string') return { origin, isMoved: moved === true };
  const tagged = typeof id === 'string' ? readTagged(id) : undefined;
  if (tagged === undefined) return undefined;
  const isMoved = tagged.endsWith(MOVED);
  const named = readOwnSignature(isMoved ? tagged.slice(0, -MOVED.length) : tagged)?.origin;
  const content = [data, text].find((value) => typeof value === 'string') ?? '';
  if (named === undefined || writeDetailId(named, String(content), isMoved) !== tagged) return undefined;
  return { origin: named, isMoved };
}

export function isOwnDetail(detail: Json): boolean {
  return isObject(detail) && (typeof detail.origin === 'string' || readTagged(String(detail.id ?? '')) !== undefined);
}
