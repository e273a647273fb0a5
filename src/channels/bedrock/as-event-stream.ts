// A stream of Bedrock as a stream of events in the Anthropic format: each message holds one event, and a failure becomes
// the error event that the format has for it.

import { isObject, tryParseJson } from '../../kit/json/json.ts';
import { readBoundedText } from '../read-bounded-text.ts';
import { BadFrame, type Frame, FrameReader } from './event-frames.ts';

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

export function asEventStream(response: Response): Response {
  const isFramed = /^application\/vnd\.amazon\.eventstream\b/i.test(response.headers.get('content-type') ?? '');
  if (response.status !== 200 || !isFramed || !response.body) return response;
  const headers = new Headers(response.headers);
  headers.set('content-type', 'text/event-stream');
  headers.delete('content-length');
  return new Response(response.body.pipeThrough(framesToEvents()), { status: 200, headers });
}

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
