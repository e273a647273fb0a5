// Messages of a socket that the gateway writes itself: a refusal, and answers for which no model is asked.

import { fault } from '../../../faults/fault.ts';
import type { JsonObject } from '../../../kit/json/json.ts';
import type { Spans } from '../../../kit/json/spans.ts';
import { type CreateMessage, memberOf } from './create-message.ts';

interface Refusal {
  status: number;
  /** Those that a client can use. */
  headers: Readonly<Record<string, string>>;
  svc: Readonly<Record<string, string>>;
  /** An object as JSON. */
  body: string;
  streamId: string | undefined;
}

/** The protocol's `error` event: the status and the body that POST would have got. */
export function writeErrorMessage({ status, headers, svc, body, streamId }: Refusal): string {
  const own = { type: 'error', status, ...(streamId === undefined ? {} : { stream_id: streamId }), svc, headers };
  return `${JSON.stringify(own).slice(0, -1)},${body.slice(1)}`;
}

/** More input for a response that runs. No upstream takes it, so it is returned. */
export function isSteer(text: string, spans: Spans): boolean {
  return memberOf(text, spans, 'type') === 'response.steer';
}

/** Throws `invalid_request`. */
export function writeSteerFailed({ previous_response_id: id, input = null }: JsonObject): string {
  if (typeof id !== 'string') {
    const message = 'previous_response_id is missing. Name the response to be steered.';
    throw fault('invalid_request', { param: 'previous_response_id', message });
  }
  return JSON.stringify({
    type: 'response.steer.failed',
    sequence_number: 0,
    error: {
      type: 'invalid_request_error',
      code: 'steering_not_supported',
      message: 'Responses cannot be steered here. Send the input in the next response.create.',
    },
    steer: { previous_response_id: id, input },
  });
}

/** The answer to a message with `generate: false`: the input is remembered, and no model is asked. */
export function writeWarmed(id: string, { model = null, streamId }: CreateMessage, now: number): string[] {
  const response = { id, object: 'response', created_at: Math.floor(now / 1_000), model, output: [], error: null };
  const own = streamId === undefined ? {} : { stream_id: streamId };
  const [begun, done] = [{ status: 'in_progress' }, { status: 'completed', usage: null }];
  return [
    { type: 'response.created', sequence_number: 0, ...own, response: { ...response, ...begun } },
    { type: 'response.completed', sequence_number: 1, ...own, response: { ...response, ...done } },
  ].map((event) => JSON.stringify(event));
}
