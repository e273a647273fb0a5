// Carries a request to an upstream of another dialect. The answer is converted to events of the client's dialect first, so
// that delivery, resuming and billing work as without a translation.

import { readAnswerJson } from '../../kit/json/json.ts';
import { NO_BUCKETS } from '../../store/rows.ts';
import type { CarriedTurns, Carrier } from '../carrier.ts';
import { checkReport } from '../counts.ts';
import {
  addOutput,
  asMedia,
  type Output,
  type RelayRequest,
  type ReportedUsage,
  type RequestFormat,
  type StreamEvent,
  type StreamReader,
} from '../dialect.ts';
import { refuseField } from '../fields.ts';
import { type FetchedMedia, namedMedia, placeholders, withMedia } from '../media/named-media.ts';
import { BROKEN, DONE, GAVE_UP, UNSEEN } from '../stream/bare-events.ts';
import type { SseEvent } from '../stream/sse.ts';
import type { AnswerContext, Target, WrittenRequest } from './adapters.ts';
import { type AnswerEvent, isPicture } from './answer-events.ts';
import { checkSettings } from './check-settings.ts';
import type { Conversation } from './conversation.ts';
import { createStopMatcher } from './stop-sequences.ts';
import {
  carryWhole,
  createRestorer,
  HiddenThoughts,
  hidesThoughts,
  isVendors,
  joinEvents,
  type Translation,
} from './translation.ts';

/** Throws a fault that names what cannot be carried. */
export function translatedCarrier(translation: Translation): Carrier {
  const { upstream, endpoint, request, target } = translation;
  const conversation = conversationOf(translation);
  checkSettings(conversation.settings);
  const needs = namedMedia(conversation, upstream.takesInside);
  const write = (fetched: FetchedMedia) => upstream.writeConversation(withMedia(conversation, fetched), target);
  const written = write(placeholders(needs));
  const filled = (fetched: FetchedMedia | undefined) => (fetched ? write(fetched) : written);
  const context: AnswerContext = {
    requestId: target.requestId,
    createdAt: translation.createdAt,
    model: request.model,
    origin: target.origin,
    tools: conversation.tools,
    get inputTokens() {
      return request.input.estimate;
    },
    asked: request.document,
  };
  const { stream } = request;
  const turns: CarriedTurns | undefined = upstream.turns && {
    ...upstream.turns,
    write: (fields, content, fetched) => filled(fetched).body(fields, { stream, turns: content }),
  };

  return {
    endpoint,
    isTranslated: true,
    dropped: written.dropped,
    droppedAt: (maxOutputTokens) => written.droppedAt?.(maxOutputTokens) ?? [],
    droppedUnsealed: written.droppedUnsealed,
    reworded: written.reworded,
    serviceTier: written.dropped.includes('service_tier') ? undefined : request.serviceTier,
    needs,
    writeRequest: (fields, fetched, prefill) => filled(fetched).body(fields, { stream, prefill }),
    turns,
    emptyAnswer: () => (stream ? emptyStream(translation, context) : emptyWhole(translation, context)),
    readAnswer(document) {
      const whole = upstream.readWhole(document, target);
      return whole && carryWhole(whole, translation, written, context);
    },
    joinAnswer(events) {
      const whole = joinEvents(events, upstream.createEventReader(withTools(target, written)));
      return whole && carryWhole(whole, translation, written, context);
    },
    writeAsStream: (document) => upstream.readWhole(document, target) && upstream.writeAsStream(document),
    createStreamReader: () => translatedReader(translation, written, context),
  };
}

function withTools(target: Target, written: WrittenRequest): Target {
  return { ...target, knowsTool: (name) => written.names.find(name) !== undefined };
}

/** Read once for all routes of a request: it does not depend on where the request goes. */
const CONVERSATIONS = new WeakMap<RelayRequest, Conversation>();

/** Throws a fault that names what is wrong with it. */
export function conversationOf(asked: Pick<Translation, 'dialect' | 'client' | 'request'>): Conversation {
  const { dialect, client, request } = asked;
  const known = CONVERSATIONS.get(request);
  if (known) return known;
  checkTurns(request, dialect.request.promptField);
  const conversation = client.readConversation(request.document);
  CONVERSATIONS.set(request, conversation);
  return conversation;
}

/** Each is visited many times without a pause, while other requests wait. */
const MAX_TURNS = 10_000;

function checkTurns({ document }: RelayRequest, field: RequestFormat['promptField']): void {
  const turns = document.value[field];
  if (!Array.isArray(turns) || turns.length <= MAX_TURNS) return;
  refuseField(
    field,
    `${field} has more than ${MAX_TURNS} items, the limit for a model that needs translation. Send fewer.`,
  );
}

function translatedReader(
  { dialect, client, upstream, target, request }: Translation,
  written: WrittenRequest,
  context: AnswerContext,
): StreamReader {
  const events = upstream.createEventReader(withTools(target, written));
  const stops = createStopMatcher(written.localStops ?? []);
  const restore = createRestorer(written, stops);
  const writer = client.createEventWriter(context);
  /** Every frame is read by the client dialect's own reader, which detects invalid frames. */
  const reader = dialect.stream.createReader(request);
  const words = createWordMeter(() => reader.facts().output.tokens);
  const hidden = hidesThoughts({ client, request }) ? new HiddenThoughts(client) : undefined;
  const currentOutput = (): Output => {
    const shown = { ...reader.facts().output, tokens: words.weight() };
    return hidden ? addOutput(shown, hidden.output) : shown;
  };
  /** The model's own output, once the vendor's refusal begins. */
  let output: Output | undefined;

  function translate(event: AnswerEvent, into: StreamEvent[]): void {
    if (isVendors(event)) output = currentOutput();
    if (event.type === 'broken') into.push(event.gaveUp ? GAVE_UP : BROKEN);
    else if (event.type === 'done') into.push(DONE);
    else if (hidden?.takes(event)) hide(event, into);
    else if (isPicture(event)) translatePicture(event, into);
    else for (const frame of writer.write(event)) into.push(...reader.read(frame));
  }

  /** The client gets a first event before it has to wait. */
  function hide({ type }: AnswerEvent, into: StreamEvent[]): void {
    if (type !== 'delta') return;
    for (const frame of writer.begin?.() ?? []) into.push(...reader.read(frame));
    into.push(UNSEEN);
  }

  function translatePicture(event: AnswerEvent, into: StreamEvent[]): void {
    const translated = words.exclude(() => writer.write(event).flatMap((frame) => reader.read(frame)));
    into.push(...translated.map(asPicture));
  }

  function translateAll(read: readonly AnswerEvent[]): StreamEvent[] {
    const translated: StreamEvent[] = [];
    for (const event of read) for (const restored of restore(event)) translate(restored, translated);
    return translated;
  }

  /** Whether a repeat of the last event would only add text, here and in every step of the translation. */
  const isSteady = () => (written.localStops ?? []).length === 0 && writer.isSteady?.() === true;

  const isFinished = () => reader.isFinished() || events.isWhole?.() === true;

  // An answer that we ended at a stop sequence is over.
  const paused = () => (isFinished() ? undefined : events.paused?.());

  function read(event: SseEvent): StreamEvent[] {
    const translated = translateAll(events.read(event));
    const repeat = isSteady() ? events.repeat?.() : undefined;
    for (const one of translated) {
      if (one.repeat) one.origin = one.repeat.text === repeat?.text ? repeat.shape : undefined;
    }
    return translated;
  }

  return {
    read,
    countRepeat(tokens) {
      events.countRepeat?.();
      reader.countRepeat?.(tokens);
    },
    end: () => translateAll(events.end()),
    paused,
    facts() {
      const facts = reader.facts();
      const finished = isFinished() || paused() !== undefined;
      const said = output ?? currentOutput();
      const { usage } = events.facts(finished);
      return {
        ...facts,
        output: said,
        usage: checkReport(usage, said, finished),
        finished,
        tokensAfterStop: stops.tokensAfterStop(),
        unshownTokens: hidden?.output.tokens,
      };
    },
    isFinished,
  };
}

/**
 * The token weight of an answer's text without its images, where images are inside the text and counted with it. `counted`: the
 * weight of all text so far.
 */
function createWordMeter(counted: () => number) {
  let before = 0;
  /** Words are counted from here on. The weight of pictures is never subtracted: a rest of it would be taken for a word. */
  let from = 0;
  const weight = () => before + (counted() - from);
  return {
    /** Ignores everything that is counted during `act`: it is not text. */
    exclude<T>(act: () => T): T {
      before = weight();
      const done = act();
      from = counted();
      return done;
    },
    weight,
  };
}

/** Not a repeat of the text before it, though it has the same shape. */
function asPicture(event: StreamEvent): StreamEvent {
  return {
    ...event,
    document: event.document,
    segments: asMedia(event.segments),
    repeat: undefined,
    origin: undefined,
  };
}

const NO_USAGE: ReportedUsage = { buckets: NO_BUCKETS, reasoning: 0 };
const AT_ITS_BOUND: AnswerEvent = { type: 'stop', reason: 'length' };

function emptyWhole({ dialect, client, request }: Translation, context: AnswerContext): string {
  const document = readAnswerJson(client.writeWhole([AT_ITS_BOUND], context));
  return dialect.answer.write(document, request.model, request, NO_USAGE);
}

function emptyStream({ dialect, client, request }: Translation, context: AnswerContext): string {
  const reader = dialect.stream.createReader(request);
  const writer = dialect.stream.createWriter(request, { keepText: false });
  const frames = client.createEventWriter(context).write(AT_ITS_BOUND);
  const events = frames.flatMap((frame) => reader.read(frame));
  return events.map((event) => writer.write(event)).join('') + writer.end({ usage: NO_USAGE, cost: 0n, isOurs: true });
}
