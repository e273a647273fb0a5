// One request to a channel's upstream, and what it means if it is refused.

import { readFailure } from '../channels/read-failure.ts';
import type { Upstream } from '../channels/upstream.ts';
import { withoutLostBetas } from '../dialects/anthropic-messages/betas.ts';
import type { Carrier } from '../dialects/carrier.ts';
import type { UpstreamFields } from '../dialects/dialect.ts';
import type { UpstreamBody } from '../dialects/form/form.ts';
import { estimateAt } from '../dialects/input/estimated-input.ts';
import { fault } from '../faults/fault.ts';
import { AttemptFailed } from './attempt-failed.ts';
import type { Admission, Call } from './call.ts';
import { classifyFailure } from './classify-failure.ts';
import type { Step } from './plan.ts';
import { readText } from './read-response.ts';
import type { Watch } from './watch.ts';

/** The request of one attempt. */
export interface UpstreamCall {
  call: Call;
  step: Step;
  upstream: Upstream;
  carrier: Carrier;
  fields: UpstreamFields;
  /** When the attempt began, by the monotonic clock. */
  startedAt: number;
  watch: Watch;
}

/** While this node was suspended, another may have released the hold: then nothing would pay for the attempt. */
export function isHeld({ call, startedAt }: Admission): Promise<boolean> {
  const { tools, requestId, key } = call;
  return tools.ledger.isHeld({ requestId, accountId: key.accountId, since: startedAt });
}

export function callUpstream(
  { call: { request, headers }, step, upstream, carrier, watch }: UpstreamCall,
  body: UpstreamBody,
): Promise<Response> {
  return upstream.send({
    endpoint: carrier.endpoint,
    model: step.route.model,
    ...(typeof body === 'string' ? { body } : { body: '', form: body }),
    stream: request.stream,
    headers: withoutLostBetas(headers, step.model.contextTokens),
    signal: watch.signal,
    estimateInput: () => estimateAt(request.input, step.route.model),
  });
}

/** The meaning of a status other than 200. */
export async function readRefusal(
  { call: { tools, request, dialect }, upstream, carrier, watch }: UpstreamCall,
  response: Response,
): Promise<AttemptFailed> {
  const isSpecial = carrier.plainCarrier !== undefined;
  const text = await readText(response, watch);
  const failure = readFailure(response, text, { hidden: upstream.hidden, now: tools.clock.now() });
  const failed = classifyFailure(
    failure,
    carrier.droppedUnsealed !== undefined,
    request.document.value,
    dialect.isOptional || isSpecial,
  );
  const { outcome, refusal } = failed;
  if (!isSpecial) return failed;
  // The key may lack only the right to this call: the plain request shows whether it works.
  if (outcome === 'refused_our_key') {
    return new AttemptFailed('request_refused', { refusal: fault('unsupported_endpoint'), mayServeElsewhere: true });
  }
  // The upstream may accept the request without this call.
  const mayHelp = refusal !== undefined && refusal.code !== 'content_rejected';
  return mayHelp ? new AttemptFailed(outcome, { refusal, mayServeElsewhere: true }) : failed;
}
