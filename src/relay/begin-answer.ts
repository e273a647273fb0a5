// Tries the plan's steps until an answer has begun. A failure before the first byte is invisible to the client, except in
// the receipt; each try tells the channel's health what came of it.

import { type Fault, fault } from '../faults/fault.ts';
import { sleep } from '../kit/clock.ts';
import type { Attempt } from '../store/rows.ts';
import { attempt } from './attempt.ts';
import { AttemptFailed } from './attempt-failed.ts';
import type { Begun } from './begun.ts';
import type { Admission, RelayTools } from './call.ts';
import { noChannel } from './no-channel.ts';
import { type AttemptOutcome, OUTCOMES } from './outcomes.ts';
import type { Plan, Step } from './plan.ts';
import type { Prefill } from './write-body.ts';

export interface BegunAnswer<Kind extends Begun = Begun> {
  step: Step;
  begun: Kind;
  /** What came of it in the end, for the receipt and the channel's health. */
  ended(outcome: AttemptOutcome | 'ok'): void;
}

/** Throws AttemptFailed when the client left, the gateway drains or the hold is gone, else the fault for the client. */
export async function beginAnswer(tools: RelayTools, admission: Admission, plan: Plan): Promise<BegunAnswer> {
  const failures: AttemptFailed[] = [];
  for (;;) {
    const step = isOver(tools, admission) ? undefined : plan.next(failures.at(-1));
    if (!step) throw everyChannelFailed(failures, plan.shutForMs());
    try {
      return await tryStep(tools, admission, step, admission.call.gone);
    } catch (error) {
      if (!(error instanceof AttemptFailed)) throw error;
      if (error.endsCall) throw error;
      if (error.refusal && !error.isTooLong && !error.isForeign) throw error.refusal;
      failures.push(error);
    }
  }
}

/** The request as a whole has had its time. */
export function isOver({ clock }: RelayTools, { deadline }: Admission): boolean {
  return clock.monotonic() >= deadline;
}

/** One try, if what it may cost is still held: waits as the plan says, notes what came of it, and throws AttemptFailed. */
export async function tryStep(
  tools: RelayTools,
  admission: Admission,
  step: Step,
  gone: AbortSignal,
  prefill?: Prefill,
): Promise<BegunAnswer> {
  const { call } = admission;
  const note = createNote(tools, admission, step);
  if (step.waitMs > 0 || isHeld(tools, admission) !== true) await beforeAsking(tools, admission, step, gone);
  try {
    const begun = await attempt(tools, admission, step, gone, prefill);
    note('ok', { isOver: begun.kind === 'whole' });
    return { step, begun, ended: note };
  } catch (error) {
    const outcome = error instanceof AttemptFailed ? error.outcome : 'network_error';
    note(outcome);
    const { channel } = step.route;
    const { alarm } = OUTCOMES[outcome];
    if (outcome === 'too_large') noteTooLarge(tools, admission, step, error);
    if (alarm) tools.alarms.raise(alarm, { request_id: call.requestId, channel: channel.name, model: step.model.id });
    if (alarm === 'upstream_refused_our_key') tools.doubtKey(channel);
    throw error;
  }
}

/** The upstream has made the answer and asks for its price, and nobody pays us for it. */
function noteTooLarge({ log }: RelayTools, { call }: Admission, { route, model }: Step, error: unknown): void {
  const { requestId, endpoint } = call;
  const fields = { request_id: requestId, model: model.id, channel: route.channel.name, endpoint };
  const isOnlyNow = error instanceof AttemptFailed && error.refusal?.code === 'unavailable';
  if (isOnlyNow) log('warn', 'answer_without_room', fields);
  else log('warn', 'answer_too_large', fields);
}

/** One line of the receipt; what is said of the same try later takes the place of what was said before. */
function createNote(tools: RelayTools, { attempts }: Admission, { route, model, pass }: Step) {
  const startedAt = tools.clock.monotonic();
  const channel = route.channel.name;
  const line: Attempt = { channel, outcome: '', ms: 0 };
  return (outcome: AttemptOutcome | 'ok', { isOver } = { isOver: true }) => {
    const isFirst = line.outcome === '';
    if (isFirst) attempts.push(line);
    line.outcome = outcome;
    line.ms = Math.round(tools.clock.monotonic() - startedAt);
    if (outcome === 'ok') {
      if (isOver) tools.health.success(pass);
      else tools.health.begun(pass);
    } else if (OUTCOMES[outcome].blames === 'nobody') tools.health.forget(pass);
    else {
      tools.health.failure(pass, OUTCOMES[outcome]);
      tools.errors.note(channel, model.id, outcome);
      tools.traffic.record({ channel, model: model.id, ok: false, firstTokenMs: null, totalMs: null });
    }
  };
}

/** A channel that is not asked in the end has no line of the receipt, and gets its pass back. */
async function beforeAsking(
  tools: RelayTools,
  admission: Admission,
  { waitMs, pass }: Step,
  gone: AbortSignal,
): Promise<void> {
  try {
    if (waitMs > 0) await waitOrLeave(tools, gone, waitMs);
    if (!(await isHeld(tools, admission))) throw new AttemptFailed('hold_lost');
  } catch (error) {
    tools.health.forget(pass);
    throw error;
  }
}

async function waitOrLeave(tools: RelayTools, gone: AbortSignal, ms: number): Promise<void> {
  await sleep(tools.clock, ms, AbortSignal.any([gone, tools.cut.signal])).catch(() => {
    throw new AttemptFailed(gone.aborted ? 'client_gone' : 'drained');
  });
}

/** A node that slept may find that another one has released the hold: nothing would pay for the try. */
function isHeld({ ledger }: RelayTools, { call, startedAt }: Admission): boolean | Promise<boolean> {
  const { requestId, key } = call;
  return ledger.isHeld({ requestId, accountId: key.accountId, since: startedAt });
}

function everyChannelFailed(failures: readonly AttemptFailed[], shutForMs: number | undefined): Fault {
  const tooLong = failures.find(({ isTooLong }) => isTooLong);
  if (tooLong?.refusal) return tooLong.refusal;
  const refusal = failures.every(({ isForeign }) => isForeign) ? failures.at(-1)?.refusal : undefined;
  if (refusal) return refusal;
  if (failures.length === 0) {
    const retryAfterS = shutForMs === undefined ? undefined : Math.ceil(shutForMs / 1000);
    return noChannel({ retryAfterS, internal: 'no healthy channel' });
  }
  // It goes round again, however often the client tries.
  if (failures.every((failure) => failure.outcome === 'looped')) return fault('loop_detected');
  if (failures.some((failure) => failure.outcome !== 'rate_limited')) return fault('upstream_failed');
  const waits = failures.map((failure) => failure.retryAfterS).filter((wait) => wait !== undefined);
  return noChannel({ retryAfterS: waits.length > 0 ? Math.min(...waits) : undefined });
}
