// One try on one channel, up to the moment the answer has really begun: the whole of a JSON answer, or the first
// meaningful event of a stream. Until then another channel can still take over.

import { readFailure } from '../channels/refusals/read-failure.ts';
import { readToldFailure } from '../channels/refusals/read-told-failure.ts';
import { withoutLostBetas } from '../dialects/anthropic-messages/betas.ts';
import type { Carrier } from '../dialects/carrier.ts';
import { clientsField } from '../dialects/clients-field.ts';
import { describeRefused } from '../dialects/describe-refused.ts';
import type { AnswerFacts, StreamEvent, StreamReader, UpstreamFields } from '../dialects/dialect.ts';
import type { FetchedMedia } from '../dialects/media/named-media.ts';
import { Fault, fault } from '../faults/fault.ts';
import { codeOf } from '../kit/error-code.ts';
import { failpoint } from '../kit/failpoint.ts';
import { ANSWER_LIMITS, type JsonDocument, readJsonObject } from '../kit/json/json.ts';
import { dropBody, type JsonBody } from '../kit/json/request-json.ts';
import { describeError } from '../kit/log.ts';
import { AttemptFailed, type AttemptOutcome } from './attempt-failed.ts';
import type { Admission, Call, RelayTools } from './call.ts';
import { classifyFailure, classifyTold } from './classify-failure.ts';
import { MAX_WORDLESS_EVENTS } from './event-buffer.ts';
import { createEventFeed, type EventFeed, type FeedLimits } from './event-feed.ts';
import type { Step } from './plan.ts';
import { type LargeAnswer, readLargeAnswer } from './read-large-answer.ts';
import { isShort, MAX_ANSWER_BYTES, readText } from './read-upstream-text.ts';
import { upstreamFields } from './upstream-fields.ts';
import { Watch } from './watch.ts';

interface AnyBegun {
  /** When the try began, by the monotonic clock. */
  startedAt: number;
  /** When a stream brought its first word. */
  firstTokenAt: number | null;
}

export interface WholeAnswer extends AnyBegun {
  kind: 'whole';
  carrier: Carrier;
  fields: UpstreamFields;
  /** In the client's dialect. */
  document: JsonDocument;
  facts: AnswerFacts;
  /** What of it the client's dialect has no place for. */
  lost: readonly string[];
  /** Set if it is large: what in the document is only marked, and the room that it takes. */
  large?: LargeAnswer;
}

export interface BegunStream extends AnyBegun {
  kind: 'stream';
  carrier: Carrier;
  /** As they were sent. */
  fields: UpstreamFields;
  reader: StreamReader;
  /** Everything from the first event on, including what was read to find the beginning. */
  events: EventFeed;
  watch: Watch;
}

export type Begun = WholeAnswer | BegunStream;

/** The part of an answer that the client has already. */
export interface Prefill {
  text: string;
  tokens: number;
}

/** Ends when `gone` is aborted. Throws AttemptFailed. */
export async function attempt(
  tools: RelayTools,
  admission: Admission,
  step: Step,
  gone: AbortSignal,
  prefill?: Prefill,
): Promise<Begun> {
  const { call } = admission;
  const { route } = step;
  const { stream } = call.request;
  const watch = new Watch(tools, gone);
  const startedAt = tools.clock.monotonic();
  let translated: Translated | undefined;
  try {
    const upstream = tools.findUpstream(route.channel);
    const { hidden } = upstream;
    const carrier = carrierOf(call, step);
    const fields = upstreamFields(admission, step, prefill?.tokens);
    const fetched = carrier.needs.length > 0 ? await fetchNamed(tools, admission, carrier, watch) : undefined;
    const body = writeBody(carrier, fields, prefill, fetched);
    const isShort = body.length <= MOST_DESCRIBED;
    // Not before: what was fetched until now came from hosts that the client named, and these have limits of their own.
    watch.limitTotal(route.channel.timeouts.totalMs, admission.deadline);
    if (stream) watch.limitSilence(route.firstTokenMs);
    const sending = upstream.send({
      endpoint: carrier.endpoint,
      model: route.model,
      body,
      stream,
      headers: withoutLostBetas(call.headers, step.model.contextTokens),
      signal: watch.signal,
    });
    // It was copied when it was sent.
    dropBody(body);
    // Nor are long media kept for a description that is not written.
    if (carrier.isTranslated)
      translated = { carrier, fields, prefill, fetched: isShort ? fetched : undefined, isShort };
    const response = await sending;
    failpoint('K3');
    if (response.status !== 200) {
      const text = await readText(response, watch);
      const failure = readFailure(response.status, response.headers, text, hidden, tools.clock.now());
      throw classifyFailure(failure, maySeal(carrier), call.request.document.value);
    }
    if (stream) {
      const { idleMs } = route.channel.timeouts;
      const limits = { idleMs, maxBytes: mostStreamed(carrier, fields, call.request.choices) };
      const begun = await beginStream(limits, carrier, response, watch, hidden);
      return { ...begun, fields, startedAt, firstTokenAt: tools.clock.monotonic() };
    }
    const whole = await takeWhole(tools, call, carrier, response, watch, hidden);
    watch.end();
    return { ...whole, fields, startedAt, firstTokenAt: null };
  } catch (error) {
    if (isOurs(error))
      tools.log('error', 'attempt_failed', { request_id: call.requestId, detail: describeError(error) });
    const failed = watch.explain(error);
    if (translated) noteRefused(tools, admission, step, translated, failed);
    watch.abort(failed.outcome);
    watch.end();
    throw translated ? inClientsFields(call, failed) : failed;
  }
}

/** What was sent, if a translation wrote it: enough to write it again, because it is not kept. */
interface Translated {
  carrier: Carrier;
  fields: UpstreamFields;
  prefill: Prefill | undefined;
  fetched: FetchedMedia | undefined;
  isShort: boolean;
}

/** To write and scan more than this again would hold up everybody else. */
const MOST_DESCRIBED = 256 * 1024;

/** If the upstream found fault with what a translation wrote, the slip may be ours. */
function noteRefused(
  { log }: RelayTools,
  admission: Admission,
  { model, route }: Step,
  sent: Translated,
  { refusal, isForeign }: AttemptFailed,
): void {
  // What belongs to another channel's account is nobody's slip.
  if (refusal?.code !== 'invalid_request' || isForeign) return;
  const { requestId, endpoint } = admission.call;
  admission.refusedTranslation = true;
  log('warn', 'translation_refused', {
    request_id: requestId,
    model: model.id,
    channel: route.channel.name,
    endpoint,
    detail: describeSent(sent, refusal.details.param),
  });
}

/** The client is told a field of its own, if any: it knows nothing of what the translation wrote. */
function inClientsFields({ dialect, request }: Call, failed: AttemptFailed): AttemptFailed {
  if (!failed.refusal) return failed;
  const { code, details } = failed.refusal;
  const param = failed.isTooLong ? dialect.promptField : clientsField(details.param, dialect, request.document.value);
  return new AttemptFailed(failed.outcome, { ...failed, refusal: fault(code, { ...details, param }) });
}

function describeSent({ carrier, fields, prefill, fetched, isShort }: Translated, param: string | undefined): string {
  if (!isShort) return 'sent too much to be described';
  return describeRefused(String(writeBody(carrier, fields, prefill, fetched)), param);
}

/** Neither an outcome we know nor an error of the network, which bears a code: then it is a bug. */
function isOurs(error: unknown): boolean {
  return !(error instanceof AttemptFailed || error instanceof DOMException || codeOf(error) !== undefined);
}

function carrierOf(call: Call, { model, route }: Step): Carrier {
  const found = call.findCarrier(model, route);
  if (found instanceof Fault) throw new AttemptFailed('request_refused', { refusal: found });
  return found;
}

/** What a try fetched is dropped when it was sent: of several tries the one that fetched most takes up room. */
function fetchNamed(
  tools: RelayTools,
  admission: Admission,
  { needs }: Carrier,
  { signal }: Watch,
): Promise<FetchedMedia> {
  let fetched = 0;
  const grow = (bytes: number) => {
    fetched += bytes;
    const more = fetched - admission.fetchedBytes;
    if (more <= 0) return;
    admission.call.grow(more);
    admission.fetchedBytes = fetched;
  };
  return tools.fetchMedia(needs, signal, grow).catch(refuse);
}

function writeBody(
  carrier: Carrier,
  fields: UpstreamFields,
  prefill: Prefill | undefined,
  fetched: FetchedMedia | undefined,
): JsonBody {
  try {
    return prefill ? carrier.writePrefill(fields, prefill.text, fetched) : carrier.writeRequest(fields, fetched);
  } catch (error) {
    return refuse(error);
  }
}

/** What cannot be fetched, or is not what it was said to be, is the client's to mend: it named it. */
function refuse(error: unknown): never {
  throw error instanceof Fault ? new AttemptFailed('request_refused', { refusal: error }) : error;
}

/** Others may only quote the words of one that seals reasoning. */
function maySeal({ endpoint }: Carrier): boolean {
  return endpoint === 'responses';
}

/** What to make of a text that is no part of an answer; `otherwise` if it does not blame the request. */
function explainTold(
  text: string | undefined,
  carrier: Carrier,
  hidden: readonly string[],
  otherwise: AttemptOutcome,
): AttemptFailed {
  const told = text === undefined ? undefined : readToldFailure(text, hidden);
  return (told && classifyTold(told, maySeal(carrier))) ?? new AttemptFailed(otherwise);
}

type WholeParts = Omit<WholeAnswer, 'fields' | keyof AnyBegun>;

async function takeWhole(
  tools: RelayTools,
  call: Call,
  carrier: Carrier,
  response: Response,
  watch: Watch,
  hidden: readonly string[],
): Promise<WholeParts> {
  const { longAnswers } = call.dialect;
  if (!longAnswers || isShort(response)) return readWhole(carrier, await readText(response, watch), hidden);
  const read = await readLargeAnswer(tools, call, longAnswers, response, watch);
  if (typeof read === 'string') return readWhole(carrier, read, hidden);
  try {
    const answer = carrier.readAnswer(read.document) ?? 'not_an_answer';
    if (typeof answer === 'string') throw new AttemptFailed(answer);
    return { kind: 'whole', carrier, ...answer, large: read };
  } catch (error) {
    read.document.drop();
    read.room.leave();
    throw error;
  }
}

function readWhole(carrier: Carrier, text: string, hidden: readonly string[]): WholeParts {
  const document = parseAnswer(text);
  const answer = document && carrier.readAnswer(document);
  if (answer === 'gave_up') throw new AttemptFailed(answer);
  if (!answer) throw explainTold(text, carrier, hidden, 'not_an_answer');
  return { kind: 'whole', carrier, ...answer };
}

function parseAnswer(text: string): JsonDocument | undefined {
  try {
    return readJsonObject(text, ANSWER_LIMITS);
  } catch {
    return undefined;
  }
}

/** One token with twenty others that it could have been, in an event of its own and again in those that end the answer. */
const MAX_TOKEN_BYTES = 32 * 1024;
/** A translation has none of these others, and keeps the text for the end of the answer. */
const MAX_TRANSLATED_TOKEN_BYTES = 1024;

/** As much as an answer can be that was asked for, so that no upstream that keeps to it is cut off. */
function mostStreamed({ isTranslated }: Carrier, { maxOutputTokens }: UpstreamFields, choices: number): number {
  const tokenBytes = isTranslated ? MAX_TRANSLATED_TOKEN_BYTES : MAX_TOKEN_BYTES;
  return MAX_ANSWER_BYTES + tokenBytes * maxOutputTokens * choices;
}

async function beginStream(
  limits: FeedLimits,
  carrier: Carrier,
  response: Response,
  watch: Watch,
  hidden: readonly string[],
): Promise<Omit<BegunStream, 'fields' | keyof AnyBegun>> {
  const type = response.headers.get('content-type') ?? '';
  if (!/^text\/event-stream\b/i.test(type)) {
    const isJson = /^application\/json\b/i.test(type);
    throw explainTold(isJson ? await readText(response, watch) : undefined, carrier, hidden, 'not_an_answer');
  }
  const reader = carrier.createStreamReader();
  const events = createEventFeed(response, reader, watch, limits);
  await untilBegun(events, reader, carrier, hidden);
  watch.hasSpoken();
  return { kind: 'stream', carrier, reader, events, watch };
}

/** Takes events until one says something, and puts them back. */
async function untilBegun(
  events: EventFeed,
  reader: StreamReader,
  carrier: Carrier,
  hidden: readonly string[],
): Promise<void> {
  const first: StreamEvent[] = [];
  for (;;) {
    const event = events.next();
    if (!event) {
      if (await events.more()) continue;
      if (!reader.isFinished()) throw new AttemptFailed('cut');
      break;
    }
    if (event.kind === 'done' && !reader.isFinished()) throw new AttemptFailed('cut');
    if (event.kind === 'broken') {
      throw event.gaveUp ? new AttemptFailed('gave_up') : explainTold(events.heard(), carrier, hidden, 'error_event');
    }
    first.push(event);
    if (event.kind !== 'other') break;
    if (first.length > MAX_WORDLESS_EVENTS) throw new AttemptFailed('flood');
  }
  events.putBack(first);
}
