// The model in the path of a Gemini call, and the members that the body gets from the URL: the dialects read both from there.

import { type Fault, fault } from '../faults/fault.ts';
import { CLOSE_BRACE, COLON, isSpace, OPEN_BRACE } from '../kit/json/characters.ts';
import { editMembers, type JsonDocument, JsonRefused, readJsonObject } from '../kit/json/json.ts';
import { requestUrl } from '../kit/request-url.ts';
import type { Exchange } from './exchange.ts';

export const GEMINI_BASE = '/v1beta';
/** Where clients upload files to Google: no route here. */
export const GEMINI_UPLOADS = `/upload${GEMINI_BASE}`;

export type CallUrl = Pick<Exchange, 'params' | 'request'>;

/** As `models/{model}:method` has it. */
export function modelInPath({ params }: Pick<Exchange, 'params'>): string {
  const { model = '' } = params;
  return model.replace(/:\w+$/, '');
}

/** A stream is one JSON list unless the client asks for events. */
export function streamMembers({ request }: Pick<Exchange, 'request'>): Record<string, unknown> {
  const isSse = requestUrl(request).searchParams.get('alt') === 'sse';
  return isSse ? { stream: true } : { stream: true, alt: 'json' };
}

const encoder = new TextEncoder();

/** Adds these members at the beginning of a JSON object. Other JSON stays unchanged, and is refused when it is read. */
export function withMembers(sent: Uint8Array, members: Record<string, unknown>): Uint8Array {
  const body = withoutModel(sent, members.model);
  const open = skipSpaces(body, 0);
  if (body[open] !== OPEN_BRACE) return body;
  const isEmpty = body[skipSpaces(body, open + 1)] === CLOSE_BRACE;
  const added = encoder.encode(JSON.stringify(members).slice(1, -1) + (isEmpty ? '' : ','));
  const complete = new Uint8Array(body.length + added.length);
  complete.set(body.subarray(0, open + 1));
  complete.set(added, open + 1);
  complete.set(body.subarray(open + 1), open + 1 + added.length);
  return complete;
}

function skipSpaces(body: Uint8Array, from: number): number {
  let at = from;
  while (isSpace(body[at])) at++;
  return at;
}

/** Some libraries name the model in the body as well. Throws a fault if it is another one, or if the body sets what the URL says. */
function withoutModel(body: Uint8Array, model: unknown): Uint8Array {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  // Checked first, because most bodies have no such member, and are not read here.
  if (!URL_MEMBERS.some((quoted) => hasMember(bytes, quoted))) return body;
  const document = readIfObject(bytes.toString());
  if (!document) return body;
  for (const name of ['stream', 'alt']) {
    if (document.spans.get(name)) throw inUrl(name, 'use :generateContent or :streamGenerateContent in the URL');
  }
  const span = document.spans.get('model');
  if (!span) return body;
  const named = document.text.slice(span.valueStart, span.valueEnd);
  if (named !== JSON.stringify(model) && named !== JSON.stringify(`models/${model}`)) {
    throw inUrl('model', 'it names another model than the URL');
  }
  return encoder.encode(editMembers(document, { model: undefined }));
}

const URL_MEMBERS = ['model', 'stream', 'alt'].map((name) => Buffer.from(`"${name}"`));

/** At any depth. The name may also be a value: the role of most messages is `"model"`. */
function hasMember(bytes: Buffer, quoted: Buffer): boolean {
  for (let at = bytes.indexOf(quoted); at >= 0; at = bytes.indexOf(quoted, at)) {
    at = skipSpaces(bytes, at + quoted.length);
    if (bytes[at] === COLON) return true;
  }
  return false;
}

function inUrl(name: string, why: string): Fault {
  return fault('invalid_request', { param: name, message: `Remove ${name} from the body: ${why}.` });
}

/** Undefined for what is refused when it is read. */
function readIfObject(text: string): JsonDocument | undefined {
  try {
    return readJsonObject(text);
  } catch (error) {
    if (error instanceof JsonRefused) return undefined;
    throw error;
  }
}
