// The story of one request: admit, attempt, deliver, close. Every path ends in exactly one close.

import { Fault, fault, toFault } from '../faults/fault.ts';
import { failpoint } from '../kit/failpoint.ts';
import { admit } from './admit.ts';
import { AttemptFailed } from './attempt-failed.ts';
import { beginAnswer } from './begin-answer.ts';
import { isStreamed } from './begun.ts';
import type { Admission, Answer, Call, RelayTools } from './call.ts';
import { withCharge } from './charged-fault.ts';
import { Closing, type Settled } from './close.ts';
import { deliverStream } from './deliver-stream.ts';
import { deliverWhole } from './deliver-whole.ts';
import { createPlan } from './plan.ts';
import { waitForAnswer } from './wait-for-whole.ts';

/** A fault, returned or thrown, when nothing was sent. From the first byte on, errors are inside the stream. */
export function relayRequest(tools: RelayTools, call: Call): Fault | Promise<Answer | Fault> {
  const admitted = admit(tools, call);
  return admitted instanceof Fault ? admitted : relayAdmitted(tools, admitted);
}

async function relayAdmitted(tools: RelayTools, admitted: Promise<Admission | Fault>): Promise<Answer | Fault> {
  const admission = await admitted;
  if (admission instanceof Fault) return admission;
  // What is refused brings no traffic that retries could be a share of.
  tools.retryBudget.countCall();
  admission.call.work.stopCounting();
  failpoint('K2');
  const closing = new Closing(tools, admission);
  const waiting = waitForAnswer(tools, admission.call);
  try {
    const plan = createPlan(tools, admission);
    const answer = await beginAnswer(tools, admission, plan, waiting.signal);
    waiting.end();
    return isStreamed(answer)
      ? deliverStream(tools, admission, closing, plan, answer)
      : await deliverWhole(tools, admission, closing, answer);
  } catch (error) {
    waiting.end();
    const settled = closing.done ? undefined : await closeFailed(closing, error);
    if (error instanceof AttemptFailed) throw fault('unavailable');
    throw error instanceof Fault ? withCharge(error, settled) : error;
  }
}

/** Nothing was delivered, so nothing is charged; the slot stays taken only when the client itself is the reason. */
async function closeFailed(closing: Closing, error: unknown): Promise<Settled | undefined> {
  if (error instanceof AttemptFailed && error.outcome === 'client_gone') {
    return closing.release('client_gone', { rule: 'not_delivered', giveBackSlots: false });
  }
  const { code, row } = toFault(error instanceof AttemptFailed ? fault('unavailable') : error);
  const isOurs = error instanceof AttemptFailed || code === 'internal_error';
  return closing.release(code, {
    rule: isOurs ? 'gateway_failed' : 'upstream_failed',
    giveBackSlots: row.status >= 500,
  });
}
