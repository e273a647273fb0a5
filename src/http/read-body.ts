// Bodies from clients: capped before they are read, complete within a time, valid UTF-8, and bounded JSON.

import { isUtf8 } from 'node:buffer';
import { setImmediate } from 'node:timers/promises';
import { clientLeft, type Fault, fault } from '../faults/fault.ts';
import type { Clock } from '../kit/clock.ts';
import { fieldName } from '../kit/json/field-name.ts';
import {
  BODY_LIMITS,
  type JsonDocument,
  type JsonProblem,
  JsonRefused,
  parseScanned,
  readJsonObject,
  TopLevelScan,
} from '../kit/json/json.ts';
import { readLargeJson } from '../kit/json/large-json.ts';
import type { Spans } from '../kit/json/spans.ts';
import { type BodyReader, DecodedReader, type Encoding, encodingOf } from './decode-body.ts';

const BODY_TIMEOUT_MS = 30_000;
/** Texts with more characters or values are scanned and parsed in parts, and other requests run in between. */
const AT_ONCE_CHARS = 1024 * 1024;
const AT_ONCE_VALUES = 20_000;
/** First size of the buffer for a body of unknown length. */
const FIRST_BYTES = 4 * 1024;
/**
 * A body with a declared length up to this is read in one step, because a stream would cost more than the rest of the
 * request. Its declared length is reserved before the first byte arrives. That excludes no other client: with the default
 * guards, the limit on requests is reached before the limit on bytes.
 */
const SMALL_BYTES = 128 * 1024;
/** Up to this, if its length can be reserved: a stream would take twice the time. */
const AT_ONCE_BYTES = 4 * 1024 * 1024;
/** The buffer for a longer body is at most this many times the bytes that have arrived, whatever length is declared. */
const MAX_AHEAD = 8;

/** Refusals that the headers alone decide; called before the key is checked. */
export function checkDeclaredBody(request: Request, maxBytes: number): void {
  const declared = request.headers.get('content-length');
  if (declared !== null && Number(declared) > maxBytes) throw tooLarge(maxBytes);
  encodingOf(request.headers);
}

/** The memory that a body takes, decoded. */
export interface BodyCapacity {
  /** Called with the declared length of a short body, and with every piece of a longer one before it is kept. May throw. */
  grow(bytes: number): void;
  /** Takes the declared length of a body, all of which may arrive late or never. False: its pieces are taken one by one. */
  reserve(bytes: number): boolean;
}

/** For bodies that are too small to be counted. */
const UNCOUNTED: BodyCapacity = { grow() {}, reserve: () => false };

type Bytes = Uint8Array<ArrayBuffer>;

export function readBody(request: Request, maxBytes: number, clock: Clock, capacity = UNCOUNTED): Promise<Bytes> {
  const declared = request.headers.get('content-length');
  const declaredBytes = Number(declared ?? 0);
  const encoding = encodingOf(request.headers);
  const isKnown = !encoding && declared !== null && declaredBytes <= maxBytes;
  if (isKnown && takeDeclared(declaredBytes, capacity)) return readAtOnce(request, clock);
  if (!request.body) return Promise.resolve(new Uint8Array());
  return readPieces(request.body, { declaredBytes, maxBytes, encoding }, clock, capacity);
}

/** Whether the body may be read in one step. */
function takeDeclared(bytes: number, capacity: BodyCapacity): boolean {
  if (bytes > SMALL_BYTES) return bytes <= AT_ONCE_BYTES && capacity.reserve(bytes);
  capacity.grow(bytes);
  return true;
}

/** For pages and the operator's port, which have no route that checked the headers before. */
export function bodyTextReader(clock: Clock): (request: Request, maxBytes: number) => Promise<string> {
  return (request, maxBytes) => {
    checkDeclaredBody(request, maxBytes);
    return readBody(request, maxBytes, clock).then(decodeBody);
  };
}

function readAtOnce(request: Request, clock: Clock): Promise<Bytes> {
  const { promise, resolve, reject } = Promise.withResolvers<Bytes>();
  const cancelTimer = clock.after(BODY_TIMEOUT_MS, () => reject(fault('request_timeout')));
  request.arrayBuffer().then(
    (bytes) => {
      cancelTimer();
      resolve(new Uint8Array(bytes));
    },
    (error) => {
      cancelTimer();
      reject(bodyFailure(error));
    },
  );
  return promise;
}

interface Expected {
  declaredBytes: number;
  maxBytes: number;
  encoding: Encoding | undefined;
}

async function readPieces(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  { declaredBytes, maxBytes, encoding }: Expected,
  clock: Clock,
  capacity: BodyCapacity,
): Promise<Bytes> {
  const check = (bytes: number) => {
    if (bytes > maxBytes) throw tooLarge(maxBytes, encoding ? 'decompressed body' : 'body');
  };
  const reader: BodyReader = encoding ? new DecodedReader(body.getReader(), encoding, check) : body.getReader();
  let isLate = false;
  let refuse = () => {};
  const cancelTimer = clock.after(BODY_TIMEOUT_MS, () => {
    isLate = true;
    refuse();
  });
  const read = () =>
    new Promise<Awaited<ReturnType<BodyReader['read']>>>((resolve, reject) => {
      refuse = () => reject(fault('request_timeout'));
      if (isLate) refuse();
      else reader.read().then(resolve, (error) => reject(bodyFailure(error)));
    });
  let bytes = new Uint8Array(FIRST_BYTES);
  let length = 0;
  try {
    for (;;) {
      const { value } = await read();
      if (!value) return bytes.subarray(0, length);
      check(length + value.byteLength);
      capacity.grow(value.byteLength);
      bytes = withRoom(bytes, length + value.byteLength, declaredBytes);
      bytes.set(value, length);
      length += value.byteLength;
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

/** Copied as it comes: a body in very small pieces takes no more memory than any other. */
function withRoom(bytes: Uint8Array<ArrayBuffer>, length: number, declared: number): Uint8Array<ArrayBuffer> {
  if (length <= bytes.byteLength) return bytes;
  const ahead = Math.min(declared, length * MAX_AHEAD);
  const larger = new Uint8Array(Math.max(length, bytes.byteLength * 2, ahead));
  larger.set(bytes);
  return larger;
}

/** An empty body means an empty object. */
export async function readOptionalJson(request: Request, maxBytes: number, clock: Clock): Promise<JsonDocument> {
  return parseOptionalBody(await readBody(request, maxBytes, clock));
}

export function parseOptionalBody(body: Uint8Array): JsonDocument {
  const text = decodeBody(body);
  return parseText(text.trim() === '' ? '{}' : text);
}

/** In one step: for small bodies. */
export function parseBody(body: Uint8Array): JsonDocument {
  return parseText(decodeBody(body));
}

function parseText(text: string): JsonDocument {
  try {
    return readJsonObject(text, BODY_LIMITS);
  } catch (error) {
    return refuse(error);
  }
}

/** For a text that was scanned, and which may be large. */
export async function parseScannedText(text: string, spans: Spans): Promise<JsonDocument> {
  try {
    const isLarge = text.length > AT_ONCE_CHARS || spans.values > AT_ONCE_VALUES;
    return isLarge ? await readLargeJson(text, { pause }) : parseScanned(text, spans);
  } catch (error) {
    return refuse(error);
  }
}

export function openScan(text: string): TopLevelScan {
  return new TopLevelScan(text, BODY_LIMITS);
}

/** Finds the top-level fields of a body before it is parsed. */
export async function finishScan(scan: TopLevelScan): Promise<Spans> {
  try {
    for (let stop = AT_ONCE_CHARS; !scan.run(stop); stop += AT_ONCE_CHARS) await pause();
    return scan.spans;
  } catch (error) {
    return refuse(error);
  }
}

function refuse(error: unknown): never {
  if (!(error instanceof JsonRefused)) throw error;
  throw fault('invalid_request', { param: fieldName(error.member), message: EXPLANATIONS[error.problem] });
}

const EXPLANATIONS: Record<JsonProblem, string> = {
  not_json: 'The body is not valid JSON. Send a JSON object.',
  not_object: 'The body is not a JSON object. Send a JSON object.',
  too_deep: 'The body is nested too deeply. Send a flatter one.',
  too_many_values: 'The body has too many values. Send fewer.',
  too_many_members:
    'The body has more than 1,000 top-level fields, or one with a name of more than 1,000 characters. Send fewer.',
  duplicate_member: 'A top-level field occurs twice in the body. Send every field once.',
};

export function tooLarge(maxBytes: number, what = 'body'): Fault {
  return fault('request_too_large', {
    message: `The ${what} is larger than ${maxBytes} bytes, the limit of this path. Send a smaller one.`,
  });
}

const BYTE_ORDER_MARK = '\uFEFF';

/** In half the time that a `TextDecoder` takes. */
export function decodeBody(body: Uint8Array): string {
  if (!isUtf8(body)) throw fault('invalid_request', { message: 'The body is not valid UTF-8. Send it as UTF-8.' });
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString();
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
}

/** Yields to other requests. */
export function pause(): Promise<void> {
  return setImmediate();
}
