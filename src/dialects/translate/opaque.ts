// Values that only the model that made them understands: signatures, encrypted reasoning, thought signatures. A client of another
// dialect gets them with a tag that names their maker, so that they are sent back only to it.

import { createHash } from 'node:crypto';
import { isObject, type Json, type JsonDocument, tryParseJson } from '../../kit/json/json.ts';
import { type RawEdit, setTo } from '../../kit/json/raw-edit.ts';
import { claudeName } from '../../vendors/claude.ts';
import type { Opaque, ReasoningPart } from './conversation.ts';

/** Part of every tag. */
const TAG = 'svc1';
const TAG_MARK = `${TAG}.`;
/** The base64 of every text that begins with the mark begins with this. */
const CODED_MARK = Buffer.from(TAG_MARK).toString('base64').slice(0, 6);
/** All that we write after the mark. */
const TAGGED = new RegExp(`^${TAG}\\.[\\w-]+(\\.[\\w-]+)?$`);
const ORIGIN_CHARS = 10;
const DIGEST_CHARS = 16;

/** Whether a request may contain our tags: a cheap test on the whole body. */
export function mayHoldTags({ text }: JsonDocument): boolean {
  return text.includes(TAG) || text.includes(CODED_MARK);
}

/** Identifies a model at an upstream without revealing its name. Claude's signatures hold on every platform. */
export function originOf(wire: string, upstreamModel: string): string {
  return digest(`${wire}\n${claudeName(upstreamModel)}`).slice(0, ORIGIN_CHARS);
}

/** The origin of thought signatures without our tag: any of Google's models may have made them. */
export const GOOGLE_ORIGIN = 'google';

/** The origin of sealed reasoning without our tag, whose model is unknown. */
export const VENDOR_ORIGIN = 'vendor';

/**
 * Reads a value that the gateway wrote; undefined for others. Some clients decode signatures, which are base64 at vendors,
 * and send ours back encoded once more.
 */
export function readTagged(value: string): string | undefined {
  if (value.startsWith(TAG_MARK)) return value;
  if (!value.startsWith(CODED_MARK)) return undefined;
  const bytes = Buffer.from(value, 'base64');
  const tagged = bytes.toString('latin1');
  // Our characters are the same in both alphabets of base64.
  const isCoded = bytes.toString('base64') === value || bytes.toString('base64url') === value;
  return isCoded && TAGGED.test(tagged) ? tagged : undefined;
}

/** The signature of reasoning that no vendor signed: recognised and removed before it could reach one that checks. */
export function signOwn(origin: string, text: string): string {
  return `${TAG}.${origin}.${digest(text).slice(0, DIGEST_CHARS)}`;
}

export function readOwnSignature(signature: string): { origin: string } | undefined {
  const [, origin, , ...rest] = readTagged(signature)?.split('.') ?? [];
  return origin && rest.length === 0 ? { origin } : undefined;
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
  const tagged = readTagged(packed);
  if (tagged === undefined) return undefined;
  const value = tryParseJson(Buffer.from(tagged.slice(TAG_MARK.length), 'base64url').toString());
  if (!isObject(value) || typeof value.origin !== 'string' || typeof value.text !== 'string') return undefined;
  return {
    text: value.text,
    redacted: typeof value.redacted === 'string' ? value.redacted : undefined,
    opaque: { origin: value.origin, value: typeof value.signature === 'string' ? value.signature : '' },
    ...(value.isMoved === true ? { isMoved: true } : {}),
  };
}

const ID_TAG = `-${TAG}-`;
/** The rest of the tag in an id. */
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

/** A call's id without our tag; undefined if it has none. For fields of ids only: similar text of the client stays. */
export function editId(id: Json | undefined): RawEdit | undefined {
  const { id: own, opaque } = untagToolId(typeof id === 'string' ? id : '');
  return opaque && setTo(own);
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
