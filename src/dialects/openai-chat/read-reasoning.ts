// Reads the reasoning of earlier turns that chat clients send back. Only reasoning that names its model is sent to that
// model again.

import { isObject, type Json, type JsonObject, objectsOf } from '../../kit/json/json.ts';
import type { ReasoningPart } from '../translate/conversation.ts';
import { readOwnSignature, readTagged, signOwn } from '../translate/opaque.ts';

export const TEXT_DETAIL = 'reasoning.text';
export const REDACTED_DETAIL = 'reasoning.encrypted';

export function readReasoning(message: JsonObject, at: string): ReasoningPart[] {
  const details = objectsOf(message.reasoning_details);
  const own = readOwnDetails(details, `${at}.reasoning_details`);
  if (own.length > 0) return own;
  const { reasoning_content: content, reasoning } = message;
  const said = typeof content === 'string' ? content : typeof reasoning === 'string' ? reasoning : textOf(details);
  return said === '' ? [] : [{ type: 'reasoning', text: said, at: `${at}.reasoning_content` }];
}

function textOf(details: readonly JsonObject[]): string {
  return details.map(({ text }) => (typeof text === 'string' ? text : '')).join('');
}

/** Clients may have kept a block in the parts it was streamed in: it is whole with its signature. */
function readOwnDetails(details: readonly JsonObject[], at: string): ReasoningPart[] {
  const parts: ReasoningPart[] = [];
  let open: { origin: string; text: string } | undefined;
  for (const [index, detail] of details.entries()) {
    const maker = readMaker(detail);
    // One that is ours no longer says what was signed: its model takes all of them, or none.
    if (!maker && isOwnDetail(detail)) return [];
    if (!maker) continue;
    const { origin, isMoved } = maker;
    const { text, signature, data } = detail;
    const place = { at: `${at}[${index}]`, ...(isMoved ? { isMoved } : {}) };
    if (typeof data === 'string') {
      open = undefined;
      parts.push({ type: 'reasoning', text: '', redacted: data, opaque: { origin, value: '' }, ...place });
      continue;
    }
    const isMore = open?.origin === origin;
    open = { origin, text: (isMore && open ? open.text : '') + (typeof text === 'string' ? text : '') };
    const value = typeof signature === 'string' ? signature : '';
    const part: ReasoningPart = { type: 'reasoning', text: open.text, opaque: { origin, value }, ...place };
    if (isMore) parts[parts.length - 1] = part;
    else parts.push(part);
    if (value !== '') open = undefined;
  }
  return parts;
}

const MOVED = '-moved';

/**
 * The id of a detail that we wrote. Clients of OpenRouter's format keep an id, and no field that the format does not know: so it
 * says once more who made the thought, and whether it stood first. With a digest, since some clients join details under the
 * first one's id, and a signature holds for its own words alone. `content`: the text of the detail, or its sealed data.
 */
export function writeDetailId(origin: string, content: string, isMoved: boolean): string {
  return signOwn(origin, content) + (isMoved ? MOVED : '');
}

/** The maker of a detail; undefined if it is unknown, or if the content has changed. */
function readMaker({ origin, moved, id, text, data }: JsonObject): { origin: string; isMoved: boolean } | undefined {
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
