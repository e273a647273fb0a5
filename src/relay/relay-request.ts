// One call from admission to settlement: admit, attempt, deliver, close. Every path ends in exactly one close.

import { Fault, fault, toFault } from '../faults/fault.ts';
import { failpoint } from '../kit/failpoint.ts';
import { admit } from './admit.ts';
import { AttemptFailed } from './attempt-failed.ts';
import { beginAnswer } from './begin-answer.ts';
import { isStreamed } from './begun.ts';
import type { Answer, Call } from './call.ts';
import { Closing, type Settled, withCharge } from './close.ts';
import { deliverStream } from './deliver-stream.ts';
import { deliverWhole } from './deliver-whole.ts';
import { Plan } from './plan.ts';
import { waitForAnswer } from './read-to-end.ts';

/** Returns a fault if nothing was sent; later errors are inside the stream. Throws only on a bug. */
export async function relayRequest(call: Call): Promise<Answer | Fault> {
  const admission = await admit(call);
  if (admission instanceof Fault) return admission;
  call.wasAdmitted = true;
  // Refused calls do not add to the traffic that the retry budget is a share of.
  call.tools.retryBudget.countCall();
  call.work.stopCounting();
  failpoint('after-admit');
  const closing = new Closing(admission);
  const waiting = waitForAnswer(call);
  try {
    const plan = new Plan(call);
    const answer = await beginAnswer(admission, plan, waiting.signal);
    waiting.end();
    if (answer instanceof Fault) return withCharge(answer, await closeFailed(closing, answer));
    return isStreamed(answer) ? deliverStream(closing, plan, answer) : await deliverWhole(closing, answer);
  } catch (error) {
    waiting.end();
    if (!closing.done) await closeFailed(closing, error);
    if (error instanceof AttemptFailed) return fault('unavailable');
    throw error;
  }
}

/** Nothing was delivered, so nothing is charged. The slot is given back unless the client caused it. */
async function closeFailed(closing: Closing, error: unknown): Promise<Settled | undefined> {
  if (error instanceof AttemptFailed && error.outcome === 'client_gone') {
    return closing.release('client_gone', { rule: 'not_delivered', giveBackSlots: false });
  }
  const { code, row } = toFault(error instanceof AttemptFailed ? fault('unavailable') : error);
  const isOurs = !(error instanceof Fault) || code === 'internal_error';
  return closing.release(code, {
    rule: isOurs ? 'gateway_failed' : 'upstream_failed',
    giveBackSlots: row.status >= 500,
  });
}
