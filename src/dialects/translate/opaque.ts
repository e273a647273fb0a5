// Values that only the model that made them understands: signatures, encrypted reasoning, thought signatures. On their way
// through a client of another dialect they carry a tag that names their maker, so that they go back to nobody else.

import { createHash } from 'node:crypto';
import { isObject, tryParseJson } from '../../kit/json/json.ts';
import type { Opaque, ReasoningPart } from './conversation.ts';

/** Stands in everything that we tagged: a cheap test on a whole body. */
export const TAG = 'svc1';
export const TAG_MARK = `${TAG}.`;
const ORIGIN_CHARS = 10;
const DIGEST_CHARS = 16;

/** Names a model at an upstream without telling its name. */
export function originOf(wire: string, upstreamModel: string): string {
  return digest(`${wire}\n${upstreamModel}`).slice(0, ORIGIN_CHARS);
}

/** Of thought signatures that came without our tag: any model of Google's may have made them. */
export const GOOGLE_ORIGIN = 'google';

/** Of reasoning that came sealed without our tag: whoever made it, it is no model that we could name. */
export const VENDOR_ORIGIN = 'vendor';

/** The signature of reasoning that no vendor signed: recognised and removed before it could reach one that checks. */
export function signOwn(origin: string, text: string): string {
  return `${TAG}.${origin}.${digest(text).slice(0, DIGEST_CHARS)}`;
}

export function readOwnSignature(signature: string): { origin: string } | undefined {
  const [tag, origin, , ...rest] = signature.split('.');
  return tag === TAG && origin && rest.length === 0 ? { origin } : undefined;
}

/** Reasoning as one opaque text, for clients that hand it back as a whole. */
export function packReasoning(
  origin: string,
  reasoning: { text: string; redacted?: string; signature?: string; isMoved?: boolean },
): string {
  return `${TAG_MARK}${Buffer.from(JSON.stringify({ origin, ...reasoning })).toString('base64url')}`;
}

type Unpacked = Pick<ReasoningPart, 'text' | 'redacted' | 'opaque' | 'isMoved'>;

export function unpackReasoning(packed: string): Unpacked | undefined {
  if (!packed.startsWith(TAG_MARK)) return undefined;
  const value = tryParseJson(Buffer.from(packed.slice(TAG_MARK.length), 'base64url').toString());
  if (!isObject(value) || typeof value.origin !== 'string' || typeof value.text !== 'string') return undefined;
  return {
    text: value.text,
    redacted: typeof value.redacted === 'string' ? value.redacted : undefined,
    opaque: { origin: value.origin, value: typeof value.signature === 'string' ? value.signature : '' },
    ...(value.isMoved === true ? { isMoved: true } : {}),
  };
}

const ID_TAG = `-${TAG}-`;
/** What follows it in an id. */
const ID_TAG_REST = new RegExp(`^([0-9a-z]{${ORIGIN_CHARS}})-([\\w-]*)$`);

/** A call's id that carries what its model wants back: every client returns ids as they are. */
export function tagToolId(id: string, { origin, value }: Opaque): string {
  return `${id}${ID_TAG}${origin}-${Buffer.from(value).toString('base64url')}`;
}

export function untagToolId(tagged: string): { id: string; opaque: Opaque | undefined } {
  const at = tagged.indexOf(ID_TAG);
  const [, origin, value] = (at >= 0 && ID_TAG_REST.exec(tagged.slice(at + ID_TAG.length))) || [];
  if (origin === undefined || value === undefined) return { id: tagged, opaque: undefined };
  return { id: tagged.slice(0, at), opaque: { origin, value: Buffer.from(value, 'base64url').toString() } };
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
