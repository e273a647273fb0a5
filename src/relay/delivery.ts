// The state of a streamed answer: its runs, the output that was delivered, and whether the client is still connected.
//
//   delivering → ended           the outcome of the current run is recorded (endRun)
//   ended      → delivering      another run continues the answer (continueWith)
//   ended      → reading_report  the rest is read for its usage alone, whatever the client does (readForReport)

import type { Segment, Sent, StreamWriter } from '../dialects/dialect.ts';
import { failpoint } from '../kit/failpoint.ts';
import { AttemptFailed } from './attempt-failed.ts';
import type { Timed, TimeUp } from './attempt-time.ts';
import { type BegunAnswer, type BegunStream, lastOf, type Run } from './begun.ts';
import type { UnseenReasoning } from './bill.ts';
import type { Call } from './call.ts';
import type { Closing, Served } from './close.ts';
import { maySpendUnseen, needsReport, silentMs } from './needs-report.ts';
import type { AttemptOutcome } from './outcomes.ts';
import { abandonStream, readToEnd } from './read-to-end.ts';
import type { ResumedRun } from './resume.ts';

type BegunRun = BegunAnswer<BegunStream>;

export class Delivery implements Timed {
  readonly bound: OutputBound;
  readonly runs: [Run, ...Run[]];
  readonly delivered: Sent = { hasOutput: false, hasMedia: false, tokens: 0, images: 0 };
  current: BegunRun;
  /** The report was needed, but too many streams were being read to their end. */
  isUnread = false;
  readonly #call: Call;
  readonly #first: BegunRun;
  #state: 'delivering' | 'ended' | 'reading_report' = 'delivering';
  /** Set when the client has left. */
  #left: AttemptFailed | undefined;
  /** Created once a run needs a signal for that. */
  #leaving: AbortController | undefined;
  /** The output of the current run when its time limit was last checked. */
  #outputBefore = 0;
  /** Only the report at the end of the current run has its usage, so it is read to its end even if the client leaves. */
  #needsReport = false;
  /** When the first content that is not reasoning was delivered. */
  #contentAt: number | undefined;

  constructor(
    readonly closing: Closing,
    readonly writer: StreamWriter,
    first: BegunRun,
  ) {
    const { call, maxOutputTokens } = closing.admission;
    this.bound = new OutputBound(maxOutputTokens * call.request.choices);
    this.#call = call;
    this.#first = first;
    this.runs = [runOf(first)];
    this.current = first;
    this.#use(first);
  }

  get served(): Served {
    return { first: this.#first, last: this.current };
  }

  get hasLeft(): boolean {
    return this.#left !== undefined;
  }

  /** The gateway ended the answer at one of the client's stop sequences. */
  get isStopped(): boolean {
    return this.current.begun.reader.facts().tokensAfterStop !== undefined;
  }

  /** Reasoning that the current run may not have shown, for a bill without a report. */
  unseenReasoning(): UnseenReasoning {
    const { step, begun } = this.current;
    const ms = Math.max(silentMs(begun), (this.#contentAt ?? begun.startedAt) - begun.startedAt);
    const isPossible = maySpendUnseen(this.#call, step, ms);
    if (!isPossible) return { isPossible, estimate: 0 };
    const { channel, model } = step.route;
    const { choices } = this.#call.request;
    const most = Math.floor(this.closing.admission.maxOutputTokens * choices - this.delivered.tokens);
    const estimate = this.#call.tools.reasoning.estimate(channel.name, model, ms);
    return { isPossible, estimate: Math.max(0, Math.min(estimate * choices, most)) };
  }

  /** The current run is not charged. */
  noteUnpaid(): void {
    lastOf(this.runs).unseenTokens = this.unseenReasoning().estimate;
  }

  /** Another run continues the answer. */
  continueWith(resumed: ResumedRun): void {
    this.noteUnpaid();
    this.current = resumed;
    this.#state = 'delivering';
    this.runs.push(runOf(resumed));
    this.bound.restart();
    this.#use(resumed);
  }

  endRun(outcome: AttemptOutcome | 'ok'): void {
    if (this.#state !== 'delivering') return;
    this.#state = 'ended';
    this.current.record.ended(outcome);
  }

  /** The client has left, or its time is up: the upstream is not waited for any longer. */
  leave(outcome: TimeUp = 'client_gone'): void {
    this.#left ??= new AttemptFailed(outcome);
    this.#leaving?.abort(this.#left);
    if (this.#state === 'reading_report') return;
    const { events, watch } = this.current.begun;
    if (this.#needsReport) events.interrupt(this.#left);
    else watch.abort(outcome);
  }

  /** A stream that delivers gets its time limit anew, up to one hour; one that sends only keep-alives is idle. */
  onTimeUp(outcome: TimeUp): void {
    const { step, begun } = this.current;
    const isOver = this.#call.tools.clock.monotonic() >= this.closing.admission.deadline;
    const { tokens, images, mediaTokens = 0 } = begun.reader.facts().output;
    const current = tokens + images + mediaTokens;
    if (outcome === 'client_gone' || isOver || this.#left) this.leave(outcome);
    else if (current > this.#outputBefore) {
      this.#outputBefore = current;
      begun.watch.limitTotal(step.route.channel.timeouts.totalMs, this.closing.admission.deadline);
    } else begun.watch.abort('idle');
  }

  async readForReport(): Promise<void> {
    this.#state = 'reading_report';
    this.current.begun.turns?.stop();
    if (this.#needsReport) this.isUnread = !(await readToEnd(this.#call, this.current.begun));
    abandonStream(this.current.begun);
  }

  /** Throws AttemptFailed. */
  requireClient(): void {
    if (this.#left) throw this.#left;
  }

  /** The client has read everything that was sent. Throws AttemptFailed if it has left. */
  noteDelivered(): void {
    this.requireClient();
    const { delivered } = this;
    failpoint(delivered.tokens === 0 ? 'first-bytes' : 'mid-stream');
    const { hasOutput, hasMedia, tokens, images } = this.writer.transcript.sent;
    delivered.hasOutput = hasOutput;
    delivered.hasMedia = hasMedia;
    delivered.tokens = tokens;
    delivered.images = images;
    this.bound.noteDelivered(delivered);
    if (this.#contentAt === undefined) this.#noteContent();
  }

  /** A summary of the reasoning may come long before the answer itself. */
  #noteContent(): void {
    const { tokens, reasoningTokens } = this.current.begun.reader.facts().output;
    if (tokens > reasoningTokens) this.#contentAt = this.#call.tools.clock.monotonic();
  }

  /** For a run that must end when the client stops reading, too. */
  goneOrLeft(): AbortSignal {
    this.#leaving ??= new AbortController();
    if (this.#left) this.#leaving.abort(this.#left);
    return AbortSignal.any([this.#call.gone, this.#leaving.signal]);
  }

  #use({ step, begun }: BegunRun): void {
    if (step.model !== this.#call.named) this.writer.rename(step.model.id);
    this.#needsReport = needsReport(this.#call, step, begun);
    this.#outputBefore = 0;
    begun.watch.setTimeUpListener(this);
    if (this.#needsReport) begun.watch.ignoreClient();
  }
}

function runOf({ step, begun, prefilledTokens }: BegunRun & Partial<Pick<ResumedRun, 'prefilledTokens'>>): Run {
  return { step, reader: begun.reader, prefilledTokens };
}

const MARGIN = { share: 1.25, tokens: 64 };
const WORD = /[\p{L}\p{N}]+/gu;
/** Tokenizers merge two of these, seldom more. */
const WIDE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu;

/**
 * Whether an upstream sends more output than its bound. Our own count of tokens may be too high by a few times, as for tables
 * and white space. So above the bound by that count, words are counted, each of which is at least one token.
 */
class OutputBound {
  readonly #tokens: number;
  /** Every segment must be counted. */
  isNear = false;
  #words = 0;

  constructor(tokens: number) {
    this.#tokens = tokens;
  }

  noteDelivered({ tokens }: Readonly<Sent>): void {
    if (tokens > this.#tokens * MARGIN.share + MARGIN.tokens) this.isNear = true;
  }

  /** Another run begins, and may repeat what was sent. */
  restart(): void {
    this.#words = 0;
  }

  /** Whether the words since the bound was near exceed the bound. */
  isPassedBy(segments: readonly Segment[]): boolean {
    for (const { text } of segments) this.#words += countWords(text);
    return this.#words > this.#tokens;
  }
}

function countWords(text: string): number {
  const wide = text.match(WIDE)?.length ?? 0;
  return (text.match(WORD)?.length ?? 0) + wide / 2;
}
