// A stream broke after bytes were sent: find another run that continues exactly there. By prefill where the route can do
// that, else by a fresh run whose beginning must equal what the client has.

import type { Continuation, ContinuedWriter, StreamWriter } from '../dialects/dialect.ts';
import { weighTokens } from '../kit/tokens.ts';
import type { BegunStream } from './attempt.ts';
import { AttemptFailed } from './attempt-failed.ts';
import { tryStep } from './begin-answer.ts';
import type { Admission, RelayTools } from './call.ts';
import type { Plan, Step } from './plan.ts';

export interface ResumedRun {
  step: Step;
  begun: BegunStream;
  writer: ContinuedWriter;
  /** Tokens that the client had before and that the new run was given as its beginning; 0 for a fresh run. */
  prefilledTokens: number;
}

/** Undefined when no route can continue; throws AttemptFailed when the client left or the gateway drains. */
export async function resume(
  tools: RelayTools,
  admission: Admission,
  plan: Plan,
  writer: StreamWriter,
  failure: AttemptFailed,
): Promise<ResumedRun | undefined> {
  let failed = failure;
  for (;;) {
    const step = plan.next(failed);
    if (!step) return undefined;
    const text = step.route.prefill ? writer.sentText() : undefined;
    const ways: Continuation[] = text === undefined ? ['fresh'] : ['prefill', 'fresh'];
    for (const how of ways) {
      try {
        const prefill = how === 'prefill' ? text : undefined;
        const begun = await tryStep(tools, admission, step, prefill);
        if (begun.kind !== 'stream') throw new AttemptFailed('not_an_answer');
        const prefilledTokens = prefill === undefined ? 0 : Math.round(weighTokens(prefill));
        return { step, begun, writer: writer.continue(how), prefilledTokens };
      } catch (error) {
        if (!(error instanceof AttemptFailed)) throw error;
        if (error.outcome === 'client_gone' || error.outcome === 'drained') throw error;
        failed = error;
        // Only a refused prefill is worth a fresh run on the same route.
        if (error.outcome !== 'request_refused') break;
      }
    }
  }
}
