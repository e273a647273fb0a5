// An answer independent of dialects: an event stream that upstream readers produce and client writers consume. One block is
// open at a time. Every block is closed, unless the stream breaks inside it; readers ensure that, whatever order the
// upstream uses.

import type { PausedTurn, StreamFacts } from '../dialect.ts';
import type { Repeat } from '../stream/shape.ts';
import type { SseEvent } from '../stream/sse.ts';

export type Block =
  | { kind: 'text' }
  | { kind: 'reasoning' }
  /** Encrypted reasoning, complete, which only its model can read. */
  | { kind: 'redacted'; data: string }
  /** Text of a refusal. `isVendors`: the vendor's explanation, which comes last and is not output. */
  | { kind: 'refusal'; isVendors?: boolean }
  | { kind: 'tool'; id: string; name: string /** Wanted back with the call. */; signature?: string | undefined };

/** Why an answer ended. `tool`: it waits for results. */
export type StopReason = 'end' | 'length' | 'tool' | 'filter';

export interface UrlCitation {
  url: string;
  title: string;
  /** Offsets in the text of the whole answer. */
  start: number;
  end: number;
}

export type AnswerEvent =
  | { type: 'open'; block: Block }
  /**
   * Text, reasoning, a refusal, or JSON text of a call's arguments, for the open block. `isMedia`: a whole image, encoded in
   * a text.
   */
  | { type: 'delta'; text: string; isMedia?: boolean }
  /** The signature of the open reasoning or text, which the model expects back. */
  | { type: 'sign'; signature: string }
  | { type: 'cite'; citation: UrlCitation }
  | { type: 'close' }
  | { type: 'stop'; reason: StopReason /** The client's stop sequence that was met. */; sequence?: string | undefined }
  /** The upstream's own end mark. */
  | { type: 'done' }
  /** An error, or no event of this upstream's dialect; or the model itself ended with nothing to show. */
  | { type: 'broken'; gaveUp?: boolean };

export type Delta = Extract<AnswerEvent, { type: 'delta' }>;

export interface EventReader {
  read(event: SseEvent): AnswerEvent[];
  /** The body has ended: returns the events that were kept for the end. */
  end(): AnswerEvent[];
  /** The answer is complete; its stop event is kept for the end. */
  isWhole?(): boolean;
  /** The upstream has paused its answer: this is its last turn, and no event of the next one has come. */
  paused?(): PausedTurn | undefined;
  /** The last event, if it differs from the one before only in its text. */
  repeat?(): Repeat | undefined;
  /** Another event of the same shape was passed through unread. */
  countRepeat?(): void;
  /**
   * The reported usage; output is counted by the writer. `isOver`: the answer has ended, even if the upstream did not end it
   * and has not sent its last figures.
   */
  facts(isOver: boolean): Pick<StreamFacts, 'usage'>;
}

export interface WholeEvents {
  events: AnswerEvent[];
  usage: StreamFacts['usage'];
  /** Parts of the answer without an event, by name, such as `citations` without a URL. */
  lost?: readonly string[];
}

/** Text of the open block; nothing for an empty one. */
export function deltaOf(text: string): Delta[] {
  return text === '' ? [] : [{ type: 'delta', text }];
}

/**
 * A picture that a model made, as text: no client's format of answers has a block for it, and so it is at least not lost. The
 * model did not write that text, so its tokens are not counted.
 */
export function pictureText(address: string): string {
  return `![image](${address})`;
}

export function isPicture(event: AnswerEvent): boolean {
  return event.type === 'delta' && event.isMedia === true;
}

/** Why a vendor stopped an answer, or did not begin one, as its last block; none if nothing is known. */
export function vendorRefusal(words: string | undefined): AnswerEvent[] {
  if (words === undefined || words === '') return [];
  return [
    { type: 'open', block: { kind: 'refusal', isVendors: true } },
    { type: 'delta', text: words },
    { type: 'close' },
  ];
}

/** Our own message, where the vendor gives only the name of a reason. */
export function blockedBecause(what: 'prompt' | 'answer', reasons: string): string {
  return `The ${what} was blocked by the model's provider: ${reasons}.`;
}
