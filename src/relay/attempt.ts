// One try on one channel, up to the moment the answer has really begun: the whole of a JSON answer, or the first
// meaningful event of a stream. Until then another channel can still take over.

import type { Carrier } from '../dialects/carrier.ts';
import { clientsField } from '../dialects/clients-field.ts';
import { Fault, fault } from '../faults/fault.ts';
import { HOUR_MS } from '../kit/clock.ts';
import { codeOf } from '../kit/error-code.ts';
import { failpoint } from '../kit/failpoint.ts';
import { describeError } from '../kit/log.ts';
import { askUpstream, readRefusal } from './ask-upstream.ts';
import { AttemptFailed } from './attempt-failed.ts';
import { isHeld, type Stoppable, waitBefore } from './before-asking.ts';
import type { AnyBegunAnswer } from './begun.ts';
import type { Admission, Call, RelayTools } from './call.ts';
import { noteFailedTry } from './losses.ts';
import { NextTurns } from './next-turns.ts';
import { isDescribable, noteRefused, type Translated } from './note-refused.ts';
import { noteTrouble, TryNote } from './note-try.ts';
import { patienceWith } from './patience.ts';
import type { Step } from './plan.ts';
import { beginStream, readAnswer, takeWhole } from './take-answer.ts';
import { upstreamFields } from './upstream-fields.ts';
import { type LateListener, Watch } from './watch.ts';
import { fetchNamed, type Prefill, writeBody } from './write-body.ts';

/** Even for a stream that keeps delivering. */
const MAX_STREAM_MS = HOUR_MS;

interface AttemptOptions {
  /** It ends when this is aborted. */
  gone: AbortSignal;
  prefill?: Prefill | undefined;
  racing?: Racing;
}

/** Is notified when the try is late, and may stop it. */
export interface Racing extends LateListener, Stoppable {
  /** Its cost counts as a hedge: it runs beside another try, or another try has served the call. */
  isHedge: boolean;
  watchWith(watch: Watch): void;
}

/** One try, if its hold is still open. Throws AttemptFailed; the outcome of a channel that was asked is recorded before. */
export async function attempt(
  tools: RelayTools,
  admission: Admission,
  step: Step,
  options: AttemptOptions,
): Promise<AnyBegunAnswer> {
  const { gone, prefill, racing } = options;
  const steppedAt = tools.clock.monotonic();
  try {
    if (step.waitMs > 0) await waitBefore(tools, options, step.waitMs);
    if (!(await isHeld(tools, admission))) throw new AttemptFailed('hold_lost');
  } catch (error) {
    // A channel that was not asked after all is not in the receipt, and gets its permit back.
    tools.health.forget(step.permit);
    throw error;
  }
  const note = new TryNote(tools, admission, step, steppedAt);
  const { call } = admission;
  const { route } = step;
  const { stream } = call.request;
  const watch = new Watch(tools, gone);
  racing?.watchWith(watch);
  const startedAt = tools.clock.monotonic();
  let translated: Translated | undefined;
  /** When the upstream was asked, and whether it took the request. */
  let askedAt: number | undefined;
  let isAccepted = false;
  let turns: NextTurns | undefined;
  try {
    const upstream = tools.findUpstream(route.channel);
    const carrier = carrierOf(call, step);
    const fields = upstreamFields(admission, step, prefill?.tokens);
    const fetched = carrier.needs.length > 0 ? await fetchNamed(tools, admission, carrier, watch) : undefined;
    const body = writeBody(carrier, fields, prefill, fetched);
    const isDescribed = isDescribable(body);
    // Not before: what was fetched until now came from hosts that the client named, and these have limits of their own.
    watch.limitTotal(route.channel.timeouts.totalMs, admission.deadline);
    watch.limitSilence(patienceWith(tools, admission, step), racing);
    watch.signal.throwIfAborted();
    askedAt = tools.clock.monotonic();
    watch.listen();
    const asking = { step, upstream, carrier, fields, startedAt, watch };
    const sending = askUpstream(call, asking, body);
    // Nor is long media kept if no description is written.
    if (carrier.isTranslated)
      translated = { carrier, fields, prefill, fetched: isDescribed ? fetched : undefined, isDescribed };
    const response = await sending;
    failpoint('headers-received');
    if (response.status !== 200) throw await readRefusal(tools, call, asking, response);
    isAccepted = true;
    // The bill of a run that continued from a prefill covers one turn only.
    if (carrier.turns && !prefill) turns = new NextTurns(tools, admission, asking, carrier.turns);
    const reply = { ...asking, response, turns };
    if (!stream) watch.listen();
    if (stream) {
      const begun = await beginStream(tools, call, reply);
      admission.deadline = admission.startedAt + MAX_STREAM_MS;
      watch.limitTotal(route.channel.timeouts.totalMs, admission.deadline);
      note.begun();
      return { step, begun, note };
    }
    const begun = takeWhole(reply, await readAnswer(tools, call, reply));
    watch.end();
    note.ended('ok');
    return { step, begun, note };
  } catch (error) {
    const isBug = isOurs(error) && !watch.signal.aborted;
    const failed = isBug ? new AttemptFailed('unexplained') : watch.explain(error);
    // First, so that the channel's permit is returned whatever fails here.
    note.ended(failed.outcome);
    if (askedAt !== undefined) {
      const elapsedMs = tools.clock.monotonic() - askedAt;
      const { outcome, usage = turns?.used } = failed;
      const isHedge = racing?.isHedge ?? false;
      noteFailedTry(tools, admission, step, { outcome, isAccepted, isHedge, elapsedMs, usage });
    }
    if (isBug) tools.log('error', 'attempt_failed', { request_id: call.requestId, detail: describeError(error) });
    if (translated) noteRefused(tools, admission, step, translated, failed);
    watch.abort(failed.outcome);
    watch.end();
    const shown = translated ? inClientsFields(call, failed) : failed;
    noteTrouble(tools, admission, step, shown);
    throw shown;
  }
}

/** True for a bug: neither a known outcome nor a network error, which has a code. */
function isOurs(error: unknown): boolean {
  return !(error instanceof AttemptFailed || error instanceof DOMException || codeOf(error) !== undefined);
}

function carrierOf(call: Call, { model, route }: Step): Carrier {
  const found = call.carriers.find(model, route);
  if (found instanceof Fault) throw new AttemptFailed('request_refused', { refusal: found });
  return found;
}

/** Names a field of the client's own request, if any: the client has not seen the translated one. */
function inClientsFields({ dialect, request }: Call, failed: AttemptFailed): AttemptFailed {
  if (!failed.refusal) return failed;
  const { code, details } = failed.refusal;
  const param = failed.isTooLong ? dialect.promptField : clientsField(details.param, dialect, request.document.value);
  return new AttemptFailed(failed.outcome, { ...failed, refusal: fault(code, { ...details, param }) });
}
