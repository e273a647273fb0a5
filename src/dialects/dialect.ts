// The interface between the relay and a wire format. A dialect reads requests and answers, and writes what the client gets.
// The relay does not know the fields of any format.

import type { Fault } from '../faults/fault.ts';
import type { SampledEndpoint } from '../faults/sample-call.ts';
import type { Envelope } from '../faults/write.ts';
import type { JsonDocument, JsonObject } from '../kit/json/json.ts';
import type { LongMember } from '../kit/json/long-members.ts';
import type { RawValue } from '../kit/json/raw-json.ts';
import type { Nano } from '../kit/money.ts';
import { addCalls, type ToolCalls } from '../kit/prices.ts';
import type { Buckets } from '../store/rows.ts';
import type { ClaudeHost } from '../vendors/claude-hosts.ts';
import type { Endpoint } from '../vendors/endpoints.ts';
import type { LimitField, Quirks } from '../vendors/quirks.ts';
import type { DefaultThinking } from '../vendors/qwen.ts';
import type { Form, FormRules, UpstreamBody } from './form/form.ts';
import type { InputCount } from './input/count-input.ts';
import type { Removals } from './removals/removals.ts';
import type { OtherForm } from './stream/other-form.ts';
import type { Repeat, Shape } from './stream/shape.ts';
import type { SseEvent } from './stream/sse.ts';
import type { Transcript } from './stream/transcript.ts';

/** The fields of a request that the gateway sets or bills by. All others are sent unchanged. */
export interface RelayRequest {
  /** The id or alias of the requested model. */
  model: string;
  stream: boolean;
  /** The client requested usage at the end of the stream. */
  includeUsage: boolean;
  /** The client's own bound on output, if it set one. */
  maxOutputTokens: number | undefined;
  /** The field that sets the bound; undefined if the format has none. */
  boundName: string | undefined;
  /** No bound can shorten the output: all of it is held, and it may take long. */
  isUncut?: boolean | undefined;
  choices: number;
  /** The number of requested images; 0 for other requests. */
  images: number;
  /**
   * Billed units other than tokens: the most that the call can use. Without a report of the upstream, the likely figure
   * below or else this one is billed.
   */
  seconds?: number | undefined;
  characters?: number | undefined;
  searches?: number | undefined;
  /** Estimates, if the figure above is only a bound. */
  likelySeconds?: number | undefined;
  likelySearches?: number | undefined;
  /** About how many JSON values each token has in a whole answer with log probabilities. */
  valuesPerToken?: number | undefined;
  /** Tokens of the output bound that the client set aside for thinking. */
  thinkingBudget: number | undefined;
  /** The client set stop sequences, which may be the reason for an empty answer. */
  hasStops: boolean;
  /** The service tier that the client names, where its format has such a field. */
  serviceTier?: string | undefined;
  /** The client requests a longer cache lifetime, for which OpenAI charges more without reporting it. */
  wantsLongCache?: boolean;
  input: InputCount;
  document: JsonDocument;
  /** The files, where the request is a form; `document` has its texts. */
  form?: Form | undefined;
}

/** The common part of requests that are not chat. */
export const NO_CHAT = {
  includeUsage: true,
  boundName: undefined,
  choices: 1,
  images: 0,
  thinkingBudget: undefined,
  hasStops: false,
} satisfies Partial<RelayRequest>;

/** The fields that the gateway sets, for one upstream. */
export interface UpstreamFields {
  model: string;
  maxOutputTokens: number;
  /** The thinking budget, lowered below the output bound; undefined: as the client set it. */
  thinkingBudget: number | undefined;
  /**
   * This upstream's name for the output bound. Under another name it could be ignored, and the hold would not cover the
   * output.
   */
  limitField: LimitField;
  /** The model thinks by default, and its thinking does not count towards the output bound. */
  thinksBeside?: DefaultThinking | undefined;
  /** The upstream accepts OpenRouter's field that requests usage. */
  takesUsageOption?: boolean;
  /** The upstream has `verbose_json` for this model. */
  verboseTranscripts?: boolean;
  /** Sealed (encrypted or signed) reasoning of earlier turns is removed, because this upstream refuses it. */
  withoutSealed?: boolean;
  /** This model is known to encrypt its reasoning for clients without stored state. */
  sealsReasoning?: boolean;
  /** The field in which it requires the reasoning text of earlier turns. */
  thoughtsField?: Quirks['reasoningField'];
  /** The platform that hosts a Claude model, and the betas that the client asked for. */
  claudeHost?: { name: ClaudeHost; betas: string | undefined } | undefined;
}

/** The client's name of the thinking budget if it was lowered: `x-svc-dropped` names it. */
export const THINKING_BUDGET = 'thinking.budget_tokens';

export interface ReportedUsage {
  buckets: Buckets;
  /** Part of the output bucket, for information. */
  reasoning: number;
  /** The report has only the input and perhaps the reasoning. The visible output is counted by the gateway. */
  lacksOutput?: boolean | undefined;
  /** A reported figure is impossible, or implausible for what was delivered, and is ignored. */
  isImplausible?: boolean | undefined;
  /** Buckets that the upstream did not report and the dialect counted: the bill is an estimate if they have a price. */
  counted?: readonly (keyof Buckets)[] | undefined;
  /** The upstream counts differently: clients get these figures instead, and the rest unchanged. */
  isRestated?: boolean | undefined;
  /** The service tier that served, as the upstream names it. */
  serviceTier?: string | undefined;
  /** Calls of the upstream's own tools, for tools that it counts. */
  toolCalls?: ToolCalls | undefined;
  /** The cost that the upstream reports, in its own currency. */
  upstreamCost?: number | undefined;
}

export interface Output {
  /** Text, a tool call, a refusal, an image or audio. */
  hasContent: boolean;
  hasReasoning: boolean;
  /** Counted by the gateway; rounded when it is billed. 0 for a whole answer whose upstream reports the count. */
  tokens: number;
  /** Part of `tokens`: reasoning that came as text. A block of reasoning may have none. */
  reasoningTokens: number;
  images: number;
  /** Not part of `tokens`: images and audio in a chat answer, estimated in case no report counts them. */
  mediaTokens?: number;
  /** Images beyond the requested number. They are dropped and not billed, so the operator pays for them. */
  surplusImages?: number;
  /** Input added by tools of the upstream, estimated from the calls that the answer shows and their typical size. */
  toolInput?: number;
  /** Calls of the upstream's own tools that the answer shows. */
  toolCalls?: ToolCalls | undefined;
}

export const NO_OUTPUT: Output = { hasContent: false, hasReasoning: false, tokens: 0, reasoningTokens: 0, images: 0 };

export function addOutput(a: Output, b: Output): Output {
  return {
    hasContent: a.hasContent || b.hasContent,
    hasReasoning: a.hasReasoning || b.hasReasoning,
    tokens: a.tokens + b.tokens,
    reasoningTokens: a.reasoningTokens + b.reasoningTokens,
    images: a.images + b.images,
    toolInput: (a.toolInput ?? 0) + (b.toolInput ?? 0),
    toolCalls: addCalls(a.toolCalls, b.toolCalls),
    mediaTokens: (a.mediaTokens ?? 0) + (b.mediaTokens ?? 0),
  };
}

/** The upstream's report; `invalid` if one figure is impossible. */
export type UsageReport = ReportedUsage | 'absent' | 'invalid';

/**
 * Why an answer ended, as far as the bill depends on it: `length` at its output bound, `stop_sequence` at a stop sequence of
 * the client, `end` if the model ended it or the upstream does not report a stop sequence.
 */
export type Finish = 'length' | 'stop_sequence' | 'end' | 'other';

export interface AnswerFacts {
  usage: UsageReport;
  output: Output;
  finish: Finish;
  /** The model itself ended a whole answer without output, or without the requested output. */
  gaveUp?: boolean;
  /** With that, if only another request would help. */
  refusal?: Fault | undefined;
  /** Set if the gateway ended the answer at a stop sequence: tokens of visible output that came after it. */
  tokensAfterStop?: number | undefined;
  /** With that, for a whole answer: tokens of the output before it, by the careful count. */
  plainTokens?: number | undefined;
}

/** A segment of content and its slot. The content of a slot can be compared between two runs of a model. */
export interface Segment {
  slot: string;
  /** Empty for content without text, such as an image, which has no tokens and cannot be compared. */
  text: string;
  /** The text is an encoded image, which has no tokens and differs in every run. */
  isMedia?: boolean;
}

export function isMedia(segment: Segment): boolean {
  return segment.isMedia === true || segment.text === '';
}

export function asMedia(segments: readonly Segment[]): Segment[] {
  return segments.map((segment) => ({ ...segment, isMedia: true }));
}

export interface StreamEvent {
  /**
   * `output`: has text, reasoning, a tool call or media, so the answer has begun. `other`: is sent, but does not begin the
   * answer. `held`: waits for the bill. `done`: the dialect's end mark. `broken`: an error, or not an event of this dialect.
   */
  kind: 'output' | 'other' | 'held' | 'done' | 'broken';
  name: string | undefined;
  document: JsonDocument | undefined;
  segments: readonly Segment[];
  /** For `broken`: not an error, but the model itself ended without output. */
  gaveUp?: boolean | undefined;
  /** Set if it differs from the events before only in its text. */
  repeat?: Repeat | undefined;
  /** The shape of the upstream's event, if it adds only this text. */
  origin?: Shape | undefined;
}

export interface StreamFacts extends AnswerFacts {
  /**
   * The answer is complete, except perhaps for the dialect's end mark; or it is paused, and its turns so far are complete.
   */
  finished: boolean;
  /** Tokens of reasoning that the upstream shows and the client hides. */
  unshownTokens?: number | undefined;
}

/**
 * A turn of an answer that the upstream has paused. The next turn begins when the same request is sent again with the
 * content so far.
 */
export interface PausedTurn {
  /** The content of this turn, as the upstream wants it back. */
  content: readonly RawValue[];
  /** Usage of this turn. */
  usage: ReportedUsage;
  /** The most tokens of this content in the next turn's input. */
  contentTokens: number;
}

export interface StreamReader {
  /** One event of an upstream may become several events of the client, or none yet. */
  read(event: SseEvent): StreamEvent[];
  /** The body has ended: returns the events that were kept for the end. Absent where none are. */
  end?(): StreamEvent[];
  facts(): StreamFacts;
  /** The answer is complete, and not only paused. */
  isFinished(): boolean;
  /** The upstream has paused its answer: this is its last turn, and no event of the next one has come. */
  paused?(): PausedTurn | undefined;
  /** Counts an event with the shape of the last one that was passed through unread, with the tokens of its text. */
  countRepeat?(tokens: number): void;
}

/** The bill's figures in the last events. */
export interface FinalUsage {
  usage: ReportedUsage;
  /** Undefined if the settlement did not commit in time. */
  cost: Nano | undefined;
  /** Shows our figures, because the upstream's are not those that are billed. */
  isOurs: boolean;
}

/** How another run continues a broken stream. */
export type Continuation =
  /** The upstream continues the text that was sent. */
  | 'prefill'
  /** The upstream answers from the start; the repeated beginning is skipped. */
  | 'fresh';

export interface ContinuedWriter {
  /** Frames for the client, possibly none; `mismatch` if the new run differs from what was sent. */
  write(event: StreamEvent): string | 'mismatch';
  /** True once the run has repeated everything that was sent. */
  caughtUp(): boolean;
}

/** Output that was sent to the client, as the gateway counts it. */
export interface Sent {
  /** There was output, even if only an image or audio without text. */
  hasOutput: boolean;
  /** There was an image or audio, which no other run repeats. */
  hasMedia: boolean;
  tokens: number;
  images: number;
}

export interface WriterOptions {
  /** Whether `sentText` may be called. */
  keepText: boolean;
}

/** Writes the stream of one client, over all upstream attempts. */
export interface StreamWriter {
  /** Frames for the client, possibly none: events that wait for the bill are kept for the end. */
  write(event: StreamEvent): string;
  /** Continues with another run; events kept from the broken one are dropped. */
  continue(how: Continuation): ContinuedWriter;
  /** The text sent so far, if it is text alone and short enough to be continued. */
  sentText(): string | undefined;
  /** What was sent; the same object is updated with later events. */
  readonly transcript: Readonly<Pick<Transcript, 'sent' | 'plainTokens'>>;
  /** Stops the answer as if it had reached its output bound, before `end`: frames, possibly none. */
  stopAtBound(): string;
  /** Everything after the last content: stop, usage with the cost, end. */
  end(final: FinalUsage): string;
  /** Undefined if the format cannot express an error: the connection is then closed without an end. */
  error(body: Record<string, unknown>): string | undefined;
  /** Set if frames are bytes, one for each character. */
  encode?(frames: string): Uint8Array;
  keepAlive(): string;
  /** Later frames name this model. */
  rename(model: string): void;
  /** For events of one shape that are sent without being written here. */
  repeats?: RepeatedFrames;
}

export interface RepeatedFrames {
  /** The constant parts of their frames; undefined if each frame must be written. */
  partsOf(shape: Shape): readonly string[] | undefined;
  /** Records that one was sent: the UTF-8 bytes of its text, and its tokens. */
  note(slot: string, bytes: Uint8Array, from: number, to: number, tokens: number): void;
}

/** For formats whose whole answers may have long members: vectors, pictures. */
export interface LongMemberRules {
  /** The names of these members. */
  member: string;
  /** The largest plausible size of all of them together. */
  mostBytes(request: RelayRequest): number;
  /** Converts one for the client; undefined if they stay unchanged. */
  write?(member: LongMember, request: RelayRequest): Iterable<string | Uint8Array>;
  /** The fault for an answer above our limit, which names what to request instead. */
  tooLarge(request: RelayRequest): Fault;
}

/** How a request is read, checked and written for an upstream of the same format. */
export interface RequestFormat {
  /** The field that holds the prompt. */
  promptField: SampledEndpoint['promptField'];
  /** The vendor's default model, if clients may omit the model. */
  defaultModel?: string;
  /** Absent if the format has no files. */
  form?: FormRules;
  /** Throws a fault that names the field. A quote of a call with files has no form. */
  read(document: JsonDocument, form?: Form): RelayRequest;
  /** Whether an upstream of the same format gets the client's own body; absent: always. Otherwise it is translated. */
  canPass?(request: RelayRequest, model: string, toolPrices: ToolPrices): boolean;
  /**
   * The members to remove from a body that is sent in the client's own format. Throws a fault that names a tool which uses another
   * model, or which must be removed and is required.
   */
  findRemovals?(body: JsonObject, isFree: boolean): Removals;
  /** Fields of the body that are lowered to fit an output bound of this many tokens. */
  loweredFields?(body: JsonObject, maxOutputTokens: number): readonly string[];
  /** The client's names for what is dropped with sealed reasoning. Absent if the format seals none. */
  droppedUnsealed?(body: JsonObject): readonly string[];
  /** The beginning of a conversation that must stay on one channel; undefined if it may go anywhere. */
  conversationStart?(body: JsonObject): string | undefined;
  /**
   * `removed`: top-level fields that do not reach the upstream. `prefill`: the beginning of the answer, for an upstream that
   * continues it.
   */
  write(request: RelayRequest, fields: UpstreamFields, removed?: readonly string[], prefill?: string): UpstreamBody;
}

/** How a whole answer is read, and written for the client. */
export interface AnswerFormat {
  /** Undefined if it is not an answer, or not a complete one. */
  read(document: JsonDocument, request?: RelayRequest): AnswerFacts | undefined;
  /** `usage`: the billed usage, if the answer does not report it or reports it differently. */
  write(document: JsonDocument, model: string, request: RelayRequest, usage?: ReportedUsage): string;
  /** Absent if all its members are short. */
  longMembers?: LongMemberRules;
  /** Undefined: JSON. */
  contentType?(request: RelayRequest): string | undefined;
}

/** How a stream is read, written for the client, and continued after a break. */
export interface StreamFormat {
  /** One for each attempt. */
  createReader(request: RelayRequest): StreamReader;
  /** One for each client, over all attempts. */
  createWriter(request: RelayRequest, options: WriterOptions): StreamWriter;
  /** Absent: an answer in the other form than requested is refused. */
  otherForm?: OtherForm;
  /**
   * For answers that may be bytes: writes a chunk as an event, and the end; undefined if this content type is not an answer.
   */
  frameBytes?(contentType: string): { chunk(bytes: Uint8Array): string; end: string } | undefined;
  /** Undefined: server-sent events. */
  contentType?(request: RelayRequest): string | undefined;
}

export interface Dialect {
  /** The endpoint at an upstream. */
  endpoint: Endpoint;
  /** Some upstreams with such a model lack the endpoint: a 404 does not count against the channel. */
  isOptional?: true;
  /** The form of its errors. */
  envelope: Envelope;
  request: RequestFormat;
  answer: AnswerFormat;
  stream: StreamFormat;
}

/** Whether such an upstream may get the client's own body, with only our fields changed. */
export function passesThrough({ endpoint }: Dialect, endpoints: readonly Endpoint[]): boolean {
  return endpoints.includes(endpoint);
}

/** The same for this request. `model`: its name there. */
export function passesRequest(
  dialect: Dialect,
  request: RelayRequest,
  { endpoints, model }: { endpoints: readonly Endpoint[]; model: string },
  toolPrices?: ToolPrices,
): boolean {
  return passesThrough(dialect, endpoints) && dialect.request.canPass?.(request, model, toolPrices) !== false;
}

/** The tools of the upstream that the price of a model lists; undefined for none. */
export type ToolPrices = { has(tool: string): boolean } | undefined;
