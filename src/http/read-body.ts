// Bodies from clients: capped before they are read, complete within a time, valid UTF-8, and bounded JSON.

import { setImmediate } from 'node:timers/promises';
import { clientLeft, fault } from '../faults/fault.ts';
import type { Clock } from '../kit/clock.ts';
import { fieldName } from '../kit/json/field-name.ts';
import { type JsonDocument, type JsonProblem, JsonRefused, readJsonObject } from '../kit/json/json.ts';
import { readLargeJson } from '../kit/json/large-json.ts';
import { readRequestJson } from '../kit/json/request-json.ts';

const BODY_TIMEOUT_MS = 30_000;
/** Longer texts are read in pieces, between which others have their turn. */
const LARGE_CHARS = 256 * 1024;
const DECODE_BYTES = 256 * 1024;
/** Room for a body of unknown length at first. */
const FIRST_BYTES = 4 * 1024;
/** A body that says to be no longer is read at one go: a stream for it would cost more than all the rest of a request. */
const SMALL_BYTES = 256 * 1024;

/** What the headers alone can refuse; called before the key is checked. */
export function checkDeclaredBody(request: Request, maxBytes: number): void {
  const declared = request.headers.get('content-length');
  if (declared !== null && Number(declared) > maxBytes) throw tooLarge(maxBytes);
  const encoding = request.headers.get('content-encoding');
  if (encoding !== null && encoding.toLowerCase() !== 'identity') {
    throw fault('invalid_request', {
      message: 'Send the body without content-encoding: compressed bodies are not taken.',
    });
  }
}

/** A body as it came if it can be read at one go, otherwise as its text. */
export type Body = Uint8Array<ArrayBuffer> | string;

/** What a body takes up. */
export interface BodyRoom {
  /** Hears of every piece before it is kept, of a short body when it is there, and may throw. */
  grow(bytes: number): void;
}

/** Of one that is too small to be counted. */
const UNCOUNTED: BodyRoom = { grow() {} };

export function readBody(request: Request, maxBytes: number, clock: Clock, room: BodyRoom = UNCOUNTED): Promise<Body> {
  const declared = request.headers.get('content-length');
  if (declared !== null && Number(declared) <= Math.min(SMALL_BYTES, maxBytes)) {
    return readAtOnce(request, clock, room);
  }
  if (!request.body) return Promise.resolve('');
  return readPieces(request.body, maxBytes, clock, room);
}

/** For pages and the operator's port, which have no route that checked the headers before. */
export function bodyTextReader(clock: Clock): (request: Request, maxBytes: number) => Promise<string> {
  return (request, maxBytes) => {
    checkDeclaredBody(request, maxBytes);
    return readBody(request, maxBytes, clock).then(textOf);
  };
}

function textOf(body: Body): string {
  return typeof body === 'string' ? body : decode(WHOLE, body);
}

function readAtOnce(request: Request, clock: Clock, room: BodyRoom): Promise<Body> {
  const { promise, resolve, reject } = Promise.withResolvers<Body>();
  const cancelTimer = clock.after(BODY_TIMEOUT_MS, () => reject(fault('request_timeout')));
  const fail = (error: unknown) => {
    cancelTimer();
    reject(bodyFailure(error));
  };
  request.arrayBuffer().then((bytes) => {
    try {
      room.grow(bytes.byteLength);
      resolve(new Uint8Array(bytes));
      cancelTimer();
    } catch (error) {
      fail(error);
    }
  }, fail);
  return promise;
}

async function readPieces(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  maxBytes: number,
  clock: Clock,
  room: BodyRoom,
): Promise<Body> {
  const reader = body.getReader();
  let isLate = false;
  let refuse = () => {};
  const cancelTimer = clock.after(BODY_TIMEOUT_MS, () => {
    isLate = true;
    refuse();
  });
  const read = () =>
    new Promise<Awaited<ReturnType<typeof reader.read>>>((resolve, reject) => {
      refuse = () => reject(fault('request_timeout'));
      if (isLate) refuse();
      else reader.read().then(resolve, (error) => reject(bodyFailure(error)));
    });
  const decoder = new TextDecoder('utf-8', { fatal: true });
  /** What came so far, until it is too much to be read at one go. */
  let small: Uint8Array<ArrayBuffer> | undefined = new Uint8Array(FIRST_BYTES);
  let text = '';
  let bytes = 0;
  async function decodeAll(piece: Uint8Array): Promise<void> {
    for (let at = 0; at < piece.byteLength; at += DECODE_BYTES) {
      if (at > 0) await pause();
      text += decode(decoder, piece.subarray(at, at + DECODE_BYTES), PART);
    }
  }
  try {
    for (;;) {
      const { done, value } = await read();
      if (done) return small ? small.subarray(0, bytes) : text + decode(decoder, undefined);
      const before = bytes;
      bytes += value.byteLength;
      if (bytes > maxBytes) throw tooLarge(maxBytes);
      room.grow(value.byteLength);
      if (small && bytes <= SMALL_BYTES) {
        small = withRoom(small, bytes);
        small.set(value, before);
        continue;
      }
      if (small) await decodeAll(small.subarray(0, before));
      small = undefined;
      await decodeAll(value);
    }
  } finally {
    cancelTimer();
    reader.cancel().catch(() => {});
  }
}

/** A body ends like this when its client leaves, or breaks the framing: then the connection is closed, too. */
function bodyFailure(error: unknown): unknown {
  const isCut = error instanceof DOMException && error.name === 'AbortError';
  return isCut ? clientLeft() : error;
}

/** Copied as it comes: a body in very small pieces takes no more room than any other. */
function withRoom(bytes: Uint8Array<ArrayBuffer>, length: number): Uint8Array<ArrayBuffer> {
  if (length <= bytes.byteLength) return bytes;
  const larger = new Uint8Array(Math.max(length, bytes.byteLength * 2));
  larger.set(bytes);
  return larger;
}

/** An empty body means an empty object. */
export async function readOptionalJson(request: Request, maxBytes: number, clock: Clock): Promise<JsonDocument> {
  return parseOptionalBody(await readBody(request, maxBytes, clock));
}

export function parseOptionalBody(body: Body): JsonDocument | Promise<JsonDocument> {
  const text = textOf(body);
  return parseBody(text.trim() === '' ? '{}' : text);
}

export function parseBody(body: Body): JsonDocument | Promise<JsonDocument> {
  try {
    if (typeof body !== 'string') return readRequestJson(body);
    return body.length > LARGE_CHARS ? readLargeJson(body, { pause }).catch(refuse) : readJsonObject(body);
  } catch (error) {
    return refuse(error);
  }
}

function refuse(error: unknown): never {
  if (!(error instanceof JsonRefused)) throw error;
  throw fault('invalid_request', { param: fieldName(error.member), message: EXPLANATIONS[error.problem] });
}

const NOT_UTF8 = 'Send the body as valid UTF-8.';

const EXPLANATIONS: Record<JsonProblem, string> = {
  not_utf8: NOT_UTF8,
  not_json: 'Send a valid JSON body: this one cannot be parsed.',
  not_object: 'Send a JSON object as the body.',
  too_deep: 'Send a flatter body: this one is nested too deeply.',
  too_many_values: 'Send a body with fewer values.',
  duplicate_member: 'Send every top-level field once: one of them is there twice.',
};

function tooLarge(maxBytes: number) {
  return fault('request_too_large', { message: `Send a smaller body: at most ${maxBytes} bytes are taken here.` });
}

const WHOLE = new TextDecoder('utf-8', { fatal: true });
const PART = { stream: true };

function decode(decoder: TextDecoder, bytes: Uint8Array | undefined, options?: { stream: boolean }): string {
  try {
    return decoder.decode(bytes, options);
  } catch {
    throw fault('invalid_request', { message: NOT_UTF8 });
  }
}

/** Lets others have their turn. */
export function pause(): Promise<void> {
  return setImmediate();
}
