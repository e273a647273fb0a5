// What came of one try, for all who hear of it: the receipt, the channel's health and figures, and the operator.

import type { Attempt } from '../store/rows.ts';
import type { AttemptFailed } from './attempt-failed.ts';
import type { Admission, RelayTools } from './call.ts';
import { type AttemptOutcome, OUTCOMES } from './outcomes.ts';
import type { Step } from './plan.ts';

/** `begun`: a stream has brought its first word, and will be told of again. */
export type NoteTry = (outcome: AttemptOutcome | 'ok' | 'begun') => void;

/** One line of the receipt; what is said of the same try later takes the place of what was said before. */
export function createNote(tools: RelayTools, admission: Admission, { route, model, pass }: Step): NoteTry {
  const startedAt = tools.clock.monotonic();
  const channel = route.channel.name;
  const line: Attempt = { channel, outcome: '', ms: 0 };
  return (outcome) => {
    const isFirst = line.outcome === '';
    if (isFirst) admission.attempts.push(line);
    line.outcome = outcome === 'begun' ? 'ok' : outcome;
    line.ms = Math.round(tools.clock.monotonic() - startedAt);
    if (outcome === 'begun') tools.health.begun(pass);
    else if (outcome === 'ok') tools.health.success(pass);
    else if (OUTCOMES[outcome].blames === 'nobody') tools.health.forget(pass);
    else {
      tools.health.failure(pass, OUTCOMES[outcome]);
      tools.errors.note(channel, model.id, outcome);
      tools.traffic.record({ channel, model: model.id, ok: false, firstTokenMs: null, totalMs: null });
    }
  };
}

/** What the operator must hear of a try that failed. */
export function noteTrouble(tools: RelayTools, { call }: Admission, step: Step, failed: AttemptFailed): void {
  const { channel } = step.route;
  const { alarm } = OUTCOMES[failed.outcome];
  if (failed.outcome === 'too_large') noteTooLarge(tools, call, step, failed);
  if (alarm) tools.alarms.raise(alarm, { request_id: call.requestId, channel: channel.name, model: step.model.id });
  if (alarm === 'upstream_refused_our_key') tools.doubtKey(channel);
}

/** The upstream has made the answer and asks for its price, and nobody pays us for it. */
function noteTooLarge(
  { log }: RelayTools,
  { requestId, endpoint }: Admission['call'],
  { route, model }: Step,
  { refusal }: AttemptFailed,
): void {
  const fields = { request_id: requestId, model: model.id, channel: route.channel.name, endpoint };
  const isOnlyNow = refusal?.code === 'unavailable';
  if (isOnlyNow) log('warn', 'answer_without_room', fields);
  else log('warn', 'answer_too_large', fields);
}
