// An answer that has begun: a whole JSON answer, or a stream from its first output.

import type { Carrier } from '../dialects/carrier.ts';
import type { AnswerFacts, StreamReader, UpstreamFields } from '../dialects/dialect.ts';
import type { JsonDocument } from '../kit/json/json.ts';
import type { AttemptRecord } from './attempt-record.ts';
import type { EventFeed } from './event-feed.ts';
import type { Step } from './plan.ts';
import type { LargeAnswer } from './read-response.ts';
import type { Watch } from './watch.ts';

interface BegunBase {
  carrier: Carrier;
  /** As they were sent. */
  fields: UpstreamFields;
  /** When the attempt began, by the monotonic clock. */
  startedAt: number;
  /** When the first output of a stream arrived. */
  firstTokenAt: number | null;
}

export interface WholeAnswer extends BegunBase {
  kind: 'whole';
  /** In the client's dialect. */
  document: JsonDocument;
  facts: AnswerFacts;
  /** Parts of the answer that the client's dialect cannot express. */
  lost: readonly string[];
  /** Set if it is large: the members that are only marked in the document, and the memory reserved for them. */
  large?: LargeAnswer;
}

export interface StreamedTurns {
  /** More than one turn was requested. */
  readonly isContinued: boolean;
  /** No other turn is requested from here on. */
  stop(): void;
  /** The stream is abandoned: a requested turn that has not begun is a loss. */
  leave(): void;
}

export interface BegunStream extends BegunBase {
  kind: 'stream';
  reader: StreamReader;
  /** From the first event on. */
  events: EventFeed;
  watch: Watch;
  /** Set where a paused answer is continued. */
  turns?: StreamedTurns | undefined;
}

export type Begun = WholeAnswer | BegunStream;

export interface BegunAnswer<Kind extends Begun = Begun> {
  step: Step;
  begun: Kind;
  record: AttemptRecord;
}

export type BegunAttempt = BegunAnswer<WholeAnswer> | BegunAnswer<BegunStream>;

/** One upstream's part in a stream. A resumed stream has several. */
export interface Run {
  step: Step;
  reader: StreamReader;
  /** Tokens of its prefill; undefined if it answered from the start. */
  prefilledTokens: number | undefined;
  /** Hidden reasoning that it may have produced; set once the customer will not pay for it. */
  unseenTokens?: number;
}

export type Runs = readonly [Run, ...Run[]];

/** The run that ended the answer, or was the last to try. */
export function lastOf(runs: Runs): Run {
  return runs.at(-1) ?? runs[0];
}

export function isStreamed(answer: BegunAttempt): answer is BegunAnswer<BegunStream> {
  return answer.begun.kind === 'stream';
}
