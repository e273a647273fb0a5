// A `response.steer` message: more input for a response that runs. No upstream takes it, so it is returned.

import { fault } from '../../../faults/fault.ts';
import type { JsonObject } from '../../../kit/json/json.ts';
import type { Spans } from '../../../kit/json/spans.ts';
import { memberOf } from './create-message.ts';

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
