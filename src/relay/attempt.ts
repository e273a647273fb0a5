// One attempt on one channel, until the answer has begun: a whole JSON answer, or the first output of a stream. Until then
// another channel can take over.

import type { Carrier } from '../dialects/carrier.ts';
import { unboundedOutput } from '../dialects/carry.ts';
import { clientsField } from '../dialects/refused.ts';
import { Fault, fault, toFault } from '../faults/fault.ts';
import { HOUR_MS, sleep } from '../kit/clock.ts';
import { codeOf } from '../kit/error-code.ts';
import { failpoint } from '../kit/failpoint.ts';
import { describeError } from '../kit/log.ts';
import { AttemptFailed } from './attempt-failed.ts';
import { AttemptRecord, noteProblem } from './attempt-record.ts';
import type { BegunAttempt } from './begun.ts';
import type { Admission, Call } from './call.ts';
import { callUpstream, isHeld, readRefusal } from './call-upstream.ts';
import { noteFailedAttempt } from './losses.ts';
import { NextTurns } from './next-turns.ts';
import type { Step } from './plan.ts';
import { silenceLimits } from './silence-limits.ts';
import { beginStream, readAnswer, takeWhole } from './take-answer.ts';
import { upstreamFields } from './upstream-fields.ts';
import { type LateListener, Watch } from './watch.ts';
import {
  fetchNamed,
  isDescribable,
  logRefusedRequest,
  type Prefill,
  type Translated,
  writeBody,
} from './write-body.ts';

/** Even for a stream that keeps delivering. */
const MAX_STREAM_MS = HOUR_MS;

interface AttemptOptions {
  /** It ends when this is aborted. */
  gone: AbortSignal;
  prefill?: Prefill | undefined;
  racing?: Racing;
}

/** Is notified when the attempt is late, and may stop it. */
export interface Racing extends LateListener {
  /** Aborted when the attempt is stopped, with the reason. */
  readonly stopped: AbortSignal;
  /** Its cost counts as a hedge: it runs in parallel with another attempt, or another attempt has served the call. */
  isHedge: boolean;
  watchWith(watch: Watch): void;
}

/** Throws AttemptFailed, after its outcome was recorded. Nothing is sent or recorded if the hold is no longer open. */
export async function attempt(admission: Admission, step: Step, options: AttemptOptions): Promise<BegunAttempt> {
  const { call } = admission;
  const { tools } = call;
  const { gone, prefill, racing } = options;
  const steppedAt = tools.clock.monotonic();
  try {
    if (step.waitMs > 0) await waitBefore(call, options, step.waitMs);
    if (!(await isHeld(admission))) throw new AttemptFailed('hold_lost');
  } catch (error) {
    // Nothing was sent: the permit is returned, and the receipt does not list the attempt.
    tools.health.forget(step.permit);
    throw error;
  }
  const record = new AttemptRecord(admission, step, steppedAt);
  const { route } = step;
  const { stream } = call.request;
  const watch = new Watch(tools, gone);
  racing?.watchWith(watch);
  const startedAt = tools.clock.monotonic();
  let translated: Translated | undefined;
  /** When the request was sent, and whether the upstream accepted it. */
  let sentAt: number | undefined;
  let isAccepted = false;
  let isUnbounded = false;
  let turns: NextTurns | undefined;
  try {
    const upstream = tools.findUpstream(route.channel);
    const carrier = carrierOf(admission, step);
    isUnbounded = carrier.plainCarrier !== undefined;
    const fields = upstreamFields(admission, step, prefill?.tokens);
    const fetched = carrier.needs.length > 0 ? await fetchNamed(admission, carrier, watch) : undefined;
    const body = writeBody(carrier, fields, prefill, fetched);
    const isDescribed = isDescribable(body);
    // Starts only now: fetching media from URLs of the request has separate limits.
    watch.limitTotal(route.channel.timeouts.totalMs, admission.deadline);
    watch.limitSilence(silenceLimits(admission, step), racing);
    watch.signal.throwIfAborted();
    sentAt = tools.clock.monotonic();
    watch.noteBytes();
    const upstreamCall = { call, step, upstream, carrier, fields, startedAt, watch };
    const sending = callUpstream(upstreamCall, body);
    // A request that is too large to be described need not keep its media.
    if (carrier.isTranslated)
      translated = { carrier, fields, prefill, fetched: isDescribed ? fetched : undefined, isDescribed };
    const response = await sending;
    failpoint('headers-received');
    if (response.status !== 200) throw await readRefusal(upstreamCall, response);
    isAccepted = true;
    // The bill of a run that continued from a prefill covers one turn only.
    if (carrier.turns && !prefill) turns = new NextTurns(admission, upstreamCall, carrier.turns);
    const reply = { ...upstreamCall, response, turns };
    if (!stream) watch.noteBytes();
    if (stream) {
      const begun = await beginStream(reply);
      admission.deadline = admission.startedAt + MAX_STREAM_MS;
      watch.limitTotal(route.channel.timeouts.totalMs, admission.deadline);
      record.begun();
      return { step, begun, record };
    }
    const begun = takeWhole(reply, await readAnswer(reply));
    watch.end();
    record.ended('ok');
    return { step, begun, record };
  } catch (error) {
    const isBug = isUnknown(error) && !watch.signal.aborted;
    const failed = isBug ? unknownFailure(error) : watch.explain(error);
    // First, so that the permit is returned even if something below throws.
    record.ended(failed.outcome);
    if (sentAt !== undefined) {
      const elapsedMs = tools.clock.monotonic() - sentAt;
      const { outcome, usage = turns?.used } = failed;
      const isHedge = racing?.isHedge ?? false;
      noteFailedAttempt(admission, step, { outcome, isAccepted, isHedge, isUnbounded, elapsedMs, usage });
    }
    if (isBug) tools.log('error', 'attempt_failed', { request_id: call.requestId, detail: describeError(error) });
    if (translated) logRefusedRequest(admission, step, translated, failed);
    watch.abort(failed.outcome);
    watch.end();
    const shown = translated ? inClientsFields(call, failed) : failed;
    noteProblem(admission, step, shown);
    throw shown;
  }
}

/** Throws AttemptFailed if the client leaves meanwhile, the gateway drains or the attempt is stopped. */
async function waitBefore({ tools }: Call, { gone, racing }: AttemptOptions, ms: number): Promise<void> {
  const { clock, drainDeadline } = tools;
  const ends = racing ? [gone, drainDeadline.signal, racing.stopped] : [gone, drainDeadline.signal];
  await sleep(clock, ms, AbortSignal.any(ends)).catch(() => {
    if (gone.aborted) throw new AttemptFailed('client_gone');
    throw drainDeadline.signal.aborted ? new AttemptFailed('drained') : racing?.stopped.reason;
  });
}

/** Neither a known outcome nor a network error, which has a code. */
function isUnknown(error: unknown): boolean {
  return !(error instanceof AttemptFailed || error instanceof DOMException || codeOf(error) !== undefined);
}

/** A lack of memory is our own failure, and no other channel would help. */
function unknownFailure(error: unknown): AttemptFailed {
  const refusal = toFault(error);
  return refusal.code === 'unavailable'
    ? new AttemptFailed('too_large', { refusal })
    : new AttemptFailed('unexplained');
}

function carrierOf({ call, maxOutputTokens }: Admission, { model, route, isPlain }: Step): Carrier {
  const found = call.carriers.find(model, route);
  if (found instanceof Fault) throw new AttemptFailed('request_refused', { refusal: found });
  if (!found.plainCarrier) return found;
  // A call without an output bound is made only if the hold pays for all that the model can write.
  const most = Math.max(model.maxOutputTokens, unboundedOutput(call.dialect, route) ?? 0);
  return isPlain || maxOutputTokens < most ? found.plainCarrier : found;
}

/** The refusal with a field of the client's own request, because the client has not seen the translated one. */
function inClientsFields({ dialect, request }: Call, failed: AttemptFailed): AttemptFailed {
  if (!failed.refusal) return failed;
  const { code, details } = failed.refusal;
  const param = failed.isTooLong
    ? dialect.request.promptField
    : clientsField(details.param, dialect, request.document.value);
  return new AttemptFailed(failed.outcome, { ...failed, refusal: fault(code, { ...details, param }) });
}
