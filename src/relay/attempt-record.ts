// Records the outcome of one attempt: in the receipt, the channel's health and figures, and alarms for the operator.

import type { Attempt } from '../store/rows.ts';
import type { AttemptFailed } from './attempt-failed.ts';
import type { Admission, Call, RelayTools } from './call.ts';
import { type AttemptOutcome, OUTCOMES } from './outcomes.ts';
import type { Step } from './plan.ts';

/** One line of the receipt. Later outcomes of the same attempt replace earlier ones. */
export class AttemptRecord {
  readonly #tools: RelayTools;
  readonly #step: Step;
  readonly #startedAt: number;
  readonly #line: Attempt;

  constructor({ attempts, call }: Admission, step: Step, startedAt: number) {
    this.#tools = call.tools;
    this.#step = step;
    this.#startedAt = startedAt;
    this.#line = { channel: step.route.channel.name, outcome: 'drained', ms: 0 };
    if (call.models.length > 1) this.#line.model = step.model.id;
    if (call.routing) this.#line.routing = 'caller';
    attempts.push(this.#line);
  }

  /** A stream has begun; its end is reported later. */
  begun(): void {
    this.#write('ok');
    this.#tools.health.firstToken(this.#step.permit);
  }

  ended(outcome: AttemptOutcome | 'ok'): void {
    const { health, errors, traffic } = this.#tools;
    const { route, model, permit } = this.#step;
    this.#write(outcome);
    if (outcome === 'ok') health.success(permit);
    else if (!OUTCOMES[outcome].countsAgainstChannel) health.forget(permit);
    else {
      const channel = route.channel.name;
      health.failure(permit, OUTCOMES[outcome]);
      errors.note(channel, model.id, outcome);
      traffic.record({ channel, model: model.id, ok: false, firstTokenMs: null, totalMs: null });
    }
  }

  #write(outcome: string): void {
    this.#line.outcome = outcome;
    this.#line.ms = Math.round(this.#tools.clock.monotonic() - this.#startedAt);
  }
}

/** Alarms for an attempt that failed. */
export function noteProblem({ call }: Admission, step: Step, failed: AttemptFailed): void {
  const { tools } = call;
  const { channel } = step.route;
  const { alarm } = OUTCOMES[failed.outcome];
  if (failed.outcome === 'too_large') noteTooLarge(call, step, failed);
  if (alarm) tools.alarms.raise(alarm, { request_id: call.requestId, channel: channel.name, model: step.model.id });
  if (alarm === 'upstream_refused_our_key') tools.invalidateKey(channel);
}

/** The upstream bills the answer, and the customer does not pay for it. */
function noteTooLarge({ tools, requestId, endpoint }: Call, { route, model }: Step, { refusal }: AttemptFailed): void {
  const isOnlyNow = refusal?.code === 'unavailable';
  const fields = { request_id: requestId, model: model.id, channel: route.channel.name, endpoint };
  tools.log('warn', isOnlyNow ? 'answer_without_room' : 'answer_too_large', fields);
}
