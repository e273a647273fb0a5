// Reads the reply of an upstream until the answer has begun: a whole answer, or a stream up to its first output.

import { readFailureInBody } from '../channels/read-failure.ts';
import type { CarriedAnswer, Carrier, GaveUp } from '../dialects/carrier.ts';
import type { Dialect, StreamEvent, StreamReader, UpstreamFields } from '../dialects/dialect.ts';
import { splitEvents } from '../dialects/stream/other-form.ts';
import { SseTooLong } from '../dialects/stream/sse.ts';
import { fault } from '../faults/fault.ts';
import { type JsonDocument, JsonRefused, readAnswerJson } from '../kit/json/json.ts';
import { AttemptFailed } from './attempt-failed.ts';
import type { BegunStream, WholeAnswer } from './begun.ts';
import type { UpstreamCall } from './call-upstream.ts';
import { classifyErrorIn200 } from './classify-failure.ts';
import { MAX_EVENTS_WITHOUT_OUTPUT } from './event-buffer.ts';
import { type ByteSource, EventFeed } from './event-feed.ts';
import { joinWhole, type NextTurns, TurnSource } from './next-turns.ts';
import type { AttemptOutcome } from './outcomes.ts';
import { dropLarge, isShort, type LargeAnswer, MAX_ANSWER_BYTES, readLargeAnswer, readText } from './read-response.ts';

interface Reply extends UpstreamCall {
  response: Response;
  /** Set where a paused answer is continued. */
  turns?: NextTurns | undefined;
}

/** Why a text is not an answer: an error about the request or a rate limit, or `otherwise`. */
function explainText({ carrier, upstream }: Reply, text: string | undefined, otherwise: AttemptOutcome): AttemptFailed {
  const failure = text === undefined ? undefined : readFailureInBody(text, upstream.hidden);
  return (
    (failure && classifyErrorIn200(failure, carrier.droppedUnsealed !== undefined)) ?? new AttemptFailed(otherwise)
  );
}

/** A large answer is read in chunks. */
export function readAnswer(reply: Reply): Promise<string | LargeAnswer> {
  const { call, response, watch, turns } = reply;
  const { longMembers } = call.dialect.answer;
  if (turns) return readTurns(reply, turns);
  if (!longMembers || isShort(response)) return readText(response, watch);
  return readLargeAnswer(call, longMembers, response, watch);
}

async function readTurns({ response, watch }: Reply, turns: NextTurns): Promise<string> {
  return joinWhole(await readText(response, watch), turns, (next) => readText(next, watch));
}

/** Throws AttemptFailed if the reply is not an answer. */
export function takeWhole(reply: Reply, read: string | LargeAnswer): WholeAnswer {
  return typeof read === 'string' ? takeText(reply, read) : takeLarge(reply, read);
}

function takeText(reply: Reply, text: string): WholeAnswer {
  const document = parseAnswer(text);
  const answer = document ? reply.carrier.readAnswer(document) : joinAnswer(reply.carrier, text);
  if (answer && 'gaveUp' in answer) throw gaveUp(answer);
  if (!answer) throw explainText(reply, text, 'not_an_answer');
  return wholeAnswer(reply, answer);
}

function takeLarge(reply: Reply, large: LargeAnswer): WholeAnswer {
  try {
    const answer = reply.carrier.readAnswer(large.document);
    if (!answer) throw new AttemptFailed('not_an_answer');
    if ('gaveUp' in answer) throw gaveUp(answer);
    return { ...wholeAnswer(reply, answer), large };
  } catch (error) {
    dropLarge(large);
    throw error;
  }
}

function gaveUp({ gaveUp: usage, refusal }: GaveUp): AttemptFailed {
  return new AttemptFailed('gave_up', { usage, refusal });
}

function wholeAnswer({ carrier, fields, startedAt }: Reply, answer: CarriedAnswer): WholeAnswer {
  const { document, facts, lost } = answer;
  return { kind: 'whole', carrier, fields, startedAt, firstTokenAt: null, document, facts, lost };
}

/** A whole answer was requested, and the reply is not JSON: it may be a stream, whatever its content type. */
function joinAnswer(carrier: Carrier, text: string): ReturnType<Carrier['joinAnswer']> {
  try {
    return carrier.joinAnswer(splitEvents(text));
  } catch (error) {
    if (error instanceof SseTooLong || error instanceof JsonRefused) return undefined;
    throw error;
  }
}

function parseAnswer(text: string): JsonDocument | undefined {
  try {
    return readAnswerJson(text);
  } catch (error) {
    if (error instanceof JsonRefused && error.problem === 'too_many_values') throw tooManyValues();
    return undefined;
  }
}

/** Another channel's answer would have as many. */
function tooManyValues(): AttemptFailed {
  const message =
    'The answer has more values than one answer can hold. Request fewer choices, tokens or top_logprobs, or a stream.';
  return new AttemptFailed('too_large', { refusal: fault('invalid_request', { message }) });
}

/** One token with twenty alternatives, in an event of its own and again in the closing events. */
const MAX_TOKEN_BYTES = 32 * 1024;
/** A translation has no alternatives. */
const MAX_TRANSLATED_TOKEN_BYTES = 1024;

/** The largest answer within the output bound. */
function mostStreamed({ isTranslated }: Carrier, { maxOutputTokens }: UpstreamFields, choices: number): number {
  const tokenBytes = isTranslated ? MAX_TRANSLATED_TOKEN_BYTES : MAX_TOKEN_BYTES;
  return MAX_ANSWER_BYTES + tokenBytes * maxOutputTokens * choices;
}

export async function beginStream(reply: Reply): Promise<BegunStream> {
  const { call, step, response, carrier, fields, startedAt, watch } = reply;
  const { tools, request, dialect } = call;
  const streamed = isEventStream(response) ? response : (framed(dialect, response) ?? (await asStream(reply)));
  const reader = carrier.createStreamReader();
  const source = streamed.body?.getReader();
  const turns = source && reply.turns && new TurnSource(source, reader, reply.turns, (next) => openTurn(reply, next));
  const { idleMs } = step.route.channel.timeouts;
  const limits = { idleMs, maxBytes: mostStreamed(carrier, fields, request.choices) };
  const events = new EventFeed(turns ?? source, reader, watch, limits);
  await untilBegun(reply, events, reader);
  watch.noteOutput();
  const firstTokenAt = tools.clock.monotonic();
  return { kind: 'stream', carrier, fields, startedAt, firstTokenAt, reader, events, watch, turns };
}

/** The bytes of an answer as a stream of events, one for each chunk. Undefined if the answer is not such bytes. An answer shorter than its declared length is incomplete. */
function framed({ stream }: Dialect, response: Response): Response | undefined {
  const frames = stream.frameBytes?.(response.headers.get('content-type') ?? '');
  if (!frames || !response.body) return undefined;
  const declared = Number(response.headers.get('content-length') ?? 0);
  const encoder = new TextEncoder();
  let read = 0;
  const framing = new TransformStream<Uint8Array, Uint8Array>({
    transform(bytes, controller) {
      read += bytes.byteLength;
      controller.enqueue(encoder.encode(frames.chunk(bytes)));
    },
    flush(controller) {
      if (read < declared) controller.error(new Error('the answer is shorter than declared'));
      else controller.enqueue(encoder.encode(frames.end));
    },
  });
  return new Response(response.body.pipeThrough(framing));
}

async function openTurn(reply: Reply, response: Response): Promise<ByteSource> {
  const streamed = isEventStream(response) ? response : await asStream({ ...reply, response });
  if (!streamed.body) throw new AttemptFailed('not_an_answer');
  return streamed.body.getReader();
}

function isEventStream(response: Response): boolean {
  return /^text\/event-stream\b/i.test(response.headers.get('content-type') ?? '');
}

/** A stream was requested, and the reply is JSON: a whole answer is converted to a stream. */
async function asStream(reply: Reply): Promise<Response> {
  const { response, carrier, watch } = reply;
  const isJson = /^application\/json\b/i.test(response.headers.get('content-type') ?? '');
  const text = isJson ? await readText(response, watch) : undefined;
  const document = text === undefined ? undefined : parseAnswer(text);
  const streamed = document && carrier.writeAsStream(document);
  if (streamed === undefined) throw explainText(reply, text, 'not_an_answer');
  return new Response(streamed);
}

/** Reads events until one has output, and puts them back. */
async function untilBegun(reply: Reply, events: EventFeed, reader: StreamReader): Promise<void> {
  const first: StreamEvent[] = [];
  for (;;) {
    const event = events.next();
    if (!event) {
      // The reader keeps an image until the next one: it is output, though the client does not see it yet.
      if (reader.facts().output.hasContent) reply.watch.noteOutput();
      if (await events.more()) continue;
      if (!reader.isFinished()) throw reply.watch.connectionLost('cut');
      break;
    }
    if (event.kind === 'done' && !reader.isFinished()) throw new AttemptFailed('cut');
    if (event.kind === 'broken') {
      const { usage } = reader.facts();
      throw event.gaveUp
        ? new AttemptFailed('gave_up', { usage })
        : explainText(reply, events.lastData(), 'error_event');
    }
    first.push(event);
    if (event.kind !== 'other') break;
    if (first.length > MAX_EVENTS_WITHOUT_OUTPUT) throw new AttemptFailed('flood');
  }
  events.putBack(first);
}
