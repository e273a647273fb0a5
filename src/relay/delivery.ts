// The state of a streamed answer: its runs, the output that was delivered, and whether the client is still connected.
// delivering → ended the outcome of the current run is recorded (endRun) ended → delivering another run continues the answer
// (continueWith) ended → reading_report the rest of the run is read for its usage alone, whatever the client does
// (readForReport)

import type { Sent, StreamWriter } from '../dialects/dialect.ts';
import { failpoint } from '../kit/failpoint.ts';
import { AttemptFailed } from './attempt-failed.ts';
import type { Timed, TimeUp } from './attempt-time.ts';
import type { BegunAnswer, BegunStream } from './begun.ts';
import type { UnseenReasoning } from './bill-ended.ts';
import type { Admission, Call, RelayTools } from './call.ts';
import type { Served } from './close.ts';
import { maySpendUnseen, needsReport, silentMs } from './needs-report.ts';
import type { AttemptOutcome } from './outcomes.ts';
import { OutputBound } from './output-bound.ts';
import { abandonStream, readToEnd } from './read-to-end.ts';
import type { ResumedRun } from './resume.ts';
import { lastOf, type Run, type Runs } from './runs.ts';

type BegunRun = BegunAnswer<BegunStream>;
type Tools = Pick<RelayTools, 'clock' | 'reasoning'>;

export class Delivery implements Timed {
  readonly writer: StreamWriter;
  readonly bound: OutputBound;
  readonly #admission: Admission;
  readonly #call: Call;
  readonly #first: BegunRun;
  readonly #runs: [Run, ...Run[]];
  #current: BegunRun;
  #state: 'delivering' | 'ended' | 'reading_report' = 'delivering';
  /** Set when the client has left. */
  #left: AttemptFailed | undefined;
  /** Created once a run needs a signal for that. */
  #leaving: AbortController | undefined;
  readonly #delivered: Sent = { hasOutput: false, hasMedia: false, tokens: 0, images: 0 };
  readonly #tools: Tools;
  /** The output of the current run when its time limit was last checked. */
  #outputBefore = 0;
  #needsReport = false;
  #isUnread = false;
  /** When the first content that is not reasoning was delivered. */
  #contentAt: number | undefined;

  constructor(tools: Tools, admission: Admission, writer: StreamWriter, first: BegunRun) {
    const { call, maxOutputTokens } = admission;
    this.writer = writer;
    this.bound = new OutputBound(maxOutputTokens * call.request.choices);
    this.#tools = tools;
    this.#admission = admission;
    this.#call = call;
    this.#first = first;
    this.#runs = [runOf(first)];
    this.#current = first;
    this.#use(first);
  }

  get current(): BegunRun {
    return this.#current;
  }

  get runs(): Runs {
    return this.#runs;
  }

  get delivered(): Readonly<Sent> {
    return this.#delivered;
  }

  get served(): Served {
    return { first: this.#first, last: this.#current };
  }

  get hasLeft(): boolean {
    return this.#left !== undefined;
  }

  /** Only the report at the end of the current run has its usage, so it is read to its end even if the client leaves. */
  get needsReport(): boolean {
    return this.#needsReport;
  }

  /** The report was needed, but too many streams were being read to their end. */
  get isUnread(): boolean {
    return this.#isUnread;
  }

  /** The gateway ended the answer at one of the client's stop sequences. */
  get isStopped(): boolean {
    return this.#current.begun.reader.facts().tokensAfterStop !== undefined;
  }

  /** Reasoning that the current run may not have shown, for a bill without a report. */
  unseenReasoning(): UnseenReasoning {
    const { step, begun } = this.#current;
    const ms = Math.max(silentMs(begun), (this.#contentAt ?? begun.startedAt) - begun.startedAt);
    const isPossible = maySpendUnseen(this.#tools, this.#call, step, ms);
    if (!isPossible) return { isPossible, estimate: 0 };
    const { channel, model } = step.route;
    const { choices } = this.#call.request;
    const most = Math.floor(this.#admission.maxOutputTokens * choices - this.#delivered.tokens);
    const estimate = this.#tools.reasoning.estimate(channel.name, model, ms);
    return { isPossible, estimate: Math.max(0, Math.min(estimate * choices, most)) };
  }

  /** The current run is not charged. */
  noteUnpaid(): void {
    lastOf(this.#runs).unseenTokens = this.unseenReasoning().estimate;
  }

  /** Another run continues the answer. */
  continueWith(resumed: ResumedRun): void {
    this.noteUnpaid();
    this.#current = resumed;
    this.#state = 'delivering';
    this.#runs.push(runOf(resumed));
    this.bound.restart();
    this.#use(resumed);
  }

  endRun(outcome: AttemptOutcome | 'ok'): void {
    if (this.#state !== 'delivering') return;
    this.#state = 'ended';
    this.#current.record.ended(outcome);
  }

  /** The client has left, or its time is up: the upstream is not waited for any longer. */
  leave(outcome: TimeUp = 'client_gone'): void {
    this.#left ??= new AttemptFailed(outcome);
    this.#leaving?.abort(this.#left);
    if (this.#state === 'reading_report') return;
    const { events, watch } = this.#current.begun;
    if (this.#needsReport) events.interrupt(this.#left);
    else watch.abort(outcome);
  }

  /** A stream that delivers gets its time limit anew, up to one hour; one that sends only keep-alives is idle. */
  onTimeUp(outcome: TimeUp): void {
    const { step, begun } = this.#current;
    const isOver = this.#tools.clock.monotonic() >= this.#admission.deadline;
    const { tokens, images, mediaTokens = 0 } = begun.reader.facts().output;
    const current = tokens + images + mediaTokens;
    if (outcome === 'client_gone' || isOver || this.#left) this.leave(outcome);
    else if (current > this.#outputBefore) {
      this.#outputBefore = current;
      begun.watch.limitTotal(step.route.channel.timeouts.totalMs, this.#admission.deadline);
    } else begun.watch.abort('idle');
  }

  async readForReport(tools: Pick<RelayTools, 'readToEndLimit'>): Promise<void> {
    this.#state = 'reading_report';
    this.#current.begun.turns?.stop();
    if (this.#needsReport) this.#isUnread = !(await readToEnd(tools, this.#call.key.accountId, this.#current.begun));
    abandonStream(this.#current.begun);
  }

  /** Throws AttemptFailed. */
  requireClient(): void {
    if (this.#left) throw this.#left;
  }

  /** The client has read everything that was sent. Throws AttemptFailed if it has left. */
  noteDelivered(): void {
    this.requireClient();
    const delivered = this.#delivered;
    failpoint(delivered.tokens === 0 ? 'first-bytes' : 'mid-stream');
    const { hasOutput, hasMedia, tokens, images } = this.writer.sent();
    delivered.hasOutput = hasOutput;
    delivered.hasMedia = hasMedia;
    delivered.tokens = tokens;
    delivered.images = images;
    this.bound.noteDelivered(delivered);
    if (this.#contentAt === undefined) this.#noteContent();
  }

  /** A summary of the reasoning may come long before the answer itself. */
  #noteContent(): void {
    const { tokens, reasoningTokens } = this.#current.begun.reader.facts().output;
    if (tokens > reasoningTokens) this.#contentAt = this.#tools.clock.monotonic();
  }

  /** For a run that must end when the client stops reading, too. */
  goneOrLeft(): AbortSignal {
    this.#leaving ??= new AbortController();
    if (this.#left) this.#leaving.abort(this.#left);
    return AbortSignal.any([this.#call.gone, this.#leaving.signal]);
  }

  #use({ step, begun }: BegunRun): void {
    if (step.model !== this.#call.named) this.writer.rename(step.model.id);
    this.#needsReport = needsReport(this.#tools, this.#call, step, begun);
    this.#outputBefore = 0;
    begun.watch.setTimeUpListener(this);
    if (this.#needsReport) begun.watch.ignoreClient();
  }
}

function runOf({ step, begun, prefilledTokens }: BegunRun & Partial<Pick<ResumedRun, 'prefilledTokens'>>): Run {
  return { step, reader: begun.reader, prefilledTokens };
}
