// A stream of Bedrock as a stream of events in the Anthropic format: each message holds one event, and a failure becomes
// the error event that the format has for it.

import { isObject, tryParseJson } from '../kit/json/json.ts';
import { readBoundedText } from './read-bounded-text.ts';
import { asEventsOf } from './upstream.ts';

/** By the name of the exception, in lower case: types of the Anthropic format. */
const ERROR_TYPES: Readonly<Record<string, string>> = {
  throttlingexception: 'rate_limit_error',
  servicequotaexceededexception: 'rate_limit_error',
  modelnotreadyexception: 'overloaded_error',
  serviceunavailableexception: 'overloaded_error',
  modeltimeoutexception: 'timeout_error',
  validationexception: 'invalid_request_error',
  resourcenotfoundexception: 'not_found_error',
  accessdeniedexception: 'permission_error',
  unrecognizedclientexception: 'authentication_error',
  invalidsignatureexception: 'authentication_error',
  incompletesignatureexception: 'authentication_error',
  missingauthenticationtokenexception: 'authentication_error',
  expiredtokenexception: 'authentication_error',
};
const OTHER_ERROR = 'api_error';
/** The model failed or took too long, although the status is one of a bad request. */
const STATUSES: Readonly<Record<number, number>> = { 408: 504, 424: 502 };
/** The most bytes of a refusal that are read; far above what the vendor sends. */
const MAX_REFUSAL_BYTES = 64 * 1024;
/** The vendor's own figures in the last event: the format has none there. */
const METRICS = /,\s*"amazon-bedrock-invocationMetrics"\s*:\s*\{[^{}]*\}/;
/** Between values only; they would end the event. */
const LINE_ENDS = /[\r\n]+/g;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export const asEventStream = asEventsOf(/^application\/vnd\.amazon\.eventstream\b/i, framesToEvents);

/** Converts a refusal to the format's error. The vendor names the error in a header. */
export async function asRefusal(response: Response): Promise<Response> {
  const name = response.headers.get('x-amzn-errortype')?.split(':')[0] ?? '';
  const body = tryParseJson((await readBoundedText(response, MAX_REFUSAL_BYTES)) ?? '');
  const headers = new Headers(response.headers);
  headers.set('content-type', 'application/json');
  headers.delete('content-length');
  const status = STATUSES[response.status] ?? response.status;
  return new Response(JSON.stringify(errorEvent(name, messageOf(body))), { status, headers });
}

function framesToEvents(): TransformStream<Uint8Array, Uint8Array> {
  const reader = new FrameReader();
  const failed = (message: string) => encoder.encode(eventText(JSON.stringify(errorEvent('', message))));
  return new TransformStream({
    transform(bytes, controller) {
      try {
        for (const frame of reader.read(bytes)) {
          const event = readEvent(frame);
          if (event !== undefined) controller.enqueue(encoder.encode(eventText(event)));
        }
      } catch (error) {
        if (!(error instanceof BadFrame)) throw error;
        controller.enqueue(failed('The stream is damaged.'));
        controller.terminate();
      }
    },
    flush(controller) {
      if (reader.isCut()) controller.enqueue(failed('The stream ended in the middle of a message.'));
    },
  });
}

/** The event in a message, as JSON; undefined for messages without one. */
function readEvent({ headers, payload }: Frame): string | undefined {
  const kind = headers.get(':message-type');
  const body = tryParseJson(decoder.decode(payload));
  if (kind === 'exception') return JSON.stringify(errorEvent(headers.get(':exception-type') ?? '', messageOf(body)));
  if (kind === 'error') {
    return JSON.stringify(errorEvent(headers.get(':error-code') ?? '', headers.get(':error-message') ?? ''));
  }
  if (!isObject(body) || typeof body.bytes !== 'string') return undefined;
  return decoder.decode(Buffer.from(body.bytes, 'base64')).replace(METRICS, '').replace(LINE_ENDS, ' ');
}

/** Without the event's name, which is also in its data. */
function eventText(json: string): string {
  return `data: ${json}\n\n`;
}

function errorEvent(name: string, message: string) {
  const type = ERROR_TYPES[name.toLowerCase()] ?? OTHER_ERROR;
  return { type: 'error', error: { type, message: message || name || 'The upstream failed.' } };
}

function messageOf(body: unknown): string {
  if (!isObject(body)) return '';
  const { message, Message } = body;
  return [message, Message].find((text) => typeof text === 'string') ?? '';
}

interface Frame {
  /** Only those with a text: the others have no meaning for us. */
  headers: ReadonlyMap<string, string>;
  payload: Uint8Array;
}

/** The stream is damaged: nothing after this point can be trusted. */
export class BadFrame extends Error {
  override name = 'BadFrame';
}

const PRELUDE_BYTES = 12;
const CHECKSUM_BYTES = 4;
/** Far above what the vendor sends in one message. */
const MAX_FRAME_BYTES = 24 * 1024 * 1024;
const TEXT_HEADER = 7;
/** The sizes of values by header type; byte arrays (6) contain their size. */
const VALUE_BYTES: Readonly<Record<number, number>> = { 0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16 };
const BYTES_HEADER = 6;

/**
 * Reads the binary framing of AWS from chunks of any size; an incomplete frame is kept for the next chunk. A frame is: its
 * length, the length of its headers, a checksum of these two, the headers, the payload, and a checksum of everything before it.
 */
export class FrameReader {
  #pieces: Uint8Array[] = [];
  #bytes = 0;
  /** How many bytes are needed before there is something to read. */
  #needed = PRELUDE_BYTES;

  /** Throws BadFrame. */
  read(piece: Uint8Array): Frame[] {
    this.#pieces.push(piece);
    this.#bytes += piece.byteLength;
    if (this.#bytes < this.#needed) return [];
    const frames: Frame[] = [];
    let rest = joined(this.#pieces, this.#bytes);
    for (;;) {
      this.#needed = neededBytes(rest);
      if (rest.byteLength < this.#needed) break;
      frames.push(readFrame(rest.subarray(0, this.#needed)));
      rest = rest.subarray(this.#needed);
    }
    this.#pieces = rest.byteLength > 0 ? [rest] : [];
    this.#bytes = rest.byteLength;
    return frames;
  }

  /** The stream ends in the middle of a message. */
  isCut(): boolean {
    return this.#bytes > 0;
  }
}

function joined(pieces: readonly Uint8Array[], bytes: number): Uint8Array {
  const [first] = pieces;
  if (first && pieces.length === 1) return first;
  const whole = new Uint8Array(bytes);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.byteLength;
  }
  return whole;
}

/** Size of the next message, or of its prelude while that is incomplete. */
function neededBytes(bytes: Uint8Array): number {
  if (bytes.byteLength < PRELUDE_BYTES) return PRELUDE_BYTES;
  const view = viewOf(bytes);
  const [total, headers] = [view.getUint32(0), view.getUint32(4)];
  if (view.getUint32(8) !== checksum(bytes.subarray(0, 8))) throw new BadFrame('checksum of a prelude');
  if (total > MAX_FRAME_BYTES || total < PRELUDE_BYTES + headers + CHECKSUM_BYTES) throw new BadFrame('length');
  return total;
}

function readFrame(bytes: Uint8Array): Frame {
  const view = viewOf(bytes);
  const end = bytes.byteLength - CHECKSUM_BYTES;
  if (view.getUint32(end) !== checksum(bytes.subarray(0, end))) throw new BadFrame('checksum of a message');
  const payloadAt = PRELUDE_BYTES + view.getUint32(4);
  return { headers: readHeaders(bytes.subarray(PRELUDE_BYTES, payloadAt)), payload: bytes.subarray(payloadAt, end) };
}

function readHeaders(bytes: Uint8Array): Map<string, string> {
  const headers = new Map<string, string>();
  const view = viewOf(bytes);
  let at = 0;
  const take = (count: number) => {
    if (at + count > bytes.byteLength) throw new BadFrame('headers');
    at += count;
    return at - count;
  };
  const text = (count: number) => decoder.decode(bytes.subarray(take(count), at));
  while (at < bytes.byteLength) {
    const name = text(view.getUint8(take(1)));
    const type = view.getUint8(take(1));
    if (type === TEXT_HEADER) headers.set(name, text(view.getUint16(take(2))));
    else if (type === BYTES_HEADER) take(view.getUint16(take(2)));
    else take(VALUE_BYTES[type] ?? Number.POSITIVE_INFINITY);
  }
  return headers;
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function checksum(bytes: Uint8Array): number {
  return Bun.hash.crc32(bytes);
}
