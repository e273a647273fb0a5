// Finds another run that continues a broken stream exactly where it ended: by prefill if the route supports it, else by a fresh
// run whose beginning must equal what the client has. A stream with an image or audio is not resumed.

import type { ContinuedWriter, StreamWriter } from '../dialects/dialect.ts';
import { weighTokens, wholeTokens } from '../kit/tokens.ts';
import { attempt } from './attempt.ts';
import { AttemptFailed } from './attempt-failed.ts';
import { isOver } from './begin-answer.ts';
import { type BegunAnswer, type BegunStream, isStreamed } from './begun.ts';
import type { Delivery } from './delivery.ts';
import type { Plan, Step } from './plan.ts';
import type { Prefill } from './write-body.ts';

export interface ResumedRun extends BegunAnswer<BegunStream> {
  continued: ContinuedWriter;
  /** Tokens of the prefill; undefined for a fresh run. */
  prefilledTokens: number | undefined;
}

/** Undefined if no route can continue. Throws AttemptFailed if the client left, the gateway drains or the hold is not open. */
export async function resume(plan: Plan, delivery: Delivery, failure: AttemptFailed): Promise<ResumedRun | undefined> {
  const { writer, closing } = delivery;
  const { admission } = closing;
  if (writer.transcript.sent.hasMedia) return undefined;
  const gone = delivery.goneOrLeft();
  let failed = failure;
  let refusedPrefill = false;
  for (;;) {
    if (isOver(admission)) return undefined;
    // A route that refuses the prefill may still answer from the start.
    const retry: Step | undefined = refusedPrefill ? plan.retrySameRoute() : undefined;
    const step: Step | undefined = retry ?? plan.next(failed);
    if (!step) return undefined;
    const prefill: Prefill | undefined = plan.canPrefill(step.route) ? prefillOf(writer) : undefined;
    try {
      const answer = await attempt(admission, step, { gone, prefill });
      if (!isStreamed(answer)) throw new AttemptFailed('not_an_answer');
      const continued = writer.continue(prefill ? 'prefill' : 'fresh');
      return { ...answer, continued, prefilledTokens: prefill?.tokens };
    } catch (error) {
      if (!(error instanceof AttemptFailed)) throw error;
      if (error.endsCall) throw error;
      failed = error;
      refusedPrefill = prefill !== undefined && error.outcome === 'request_refused';
    }
  }
}

/** White space alone cannot be continued: upstreams refuse it as the beginning of an answer. */
function prefillOf(writer: StreamWriter): Prefill | undefined {
  const text = writer.sentText();
  return text?.trim() ? { text, tokens: wholeTokens(weighTokens(text)) } : undefined;
}
