// One request in translation: its whole answer, and what reading one as a whole and as a stream have in common.

import { readAnswerJson } from '../../kit/json/json.ts';
import { weighTokens } from '../../kit/tokens.ts';
import type { CarriedAnswer, Carrier, GaveUp } from '../carrier.ts';
import { checkReport } from '../counts.ts';
import { addOutput, type Dialect, NO_OUTPUT, type Output, type RelayRequest } from '../dialect.ts';
import { weighPlain } from '../input/plain-tokens.ts';
import type { SseEvent } from '../stream/sse.ts';
import type { AnswerContext, ClientAdapter, Target, UpstreamAdapter, WrittenRequest } from './adapters.ts';
import { type AnswerEvent, type EventReader, isPicture, type WholeEvents } from './answer-events.ts';
import { createStopMatcher, type StopMatcher } from './stop-sequences.ts';
import { createToolRestorer } from './tools/tool-arguments.ts';

export interface Translation {
  dialect: Dialect;
  client: ClientAdapter;
  upstream: UpstreamAdapter;
  endpoint: Carrier['endpoint'];
  request: RelayRequest;
  target: Target;
  createdAt: number;
}

export function hidesThoughts({ client, request }: Pick<Translation, 'client' | 'request'>): boolean {
  return client.hidesThoughts?.(request.document.value) === true;
}

/** Reasoning that a client asked not to be shown. It is billed, so it is counted here, before the client's format drops it. */
export class HiddenThoughts {
  output = NO_OUTPUT;
  readonly #keepsSignatures: boolean;
  #isThought = false;

  constructor({ keepsSignatures }: Pick<ClientAdapter, 'keepsSignatures'>) {
    this.#keepsSignatures = keepsSignatures === true;
  }

  /** True if the event is not shown: reasoning, and signatures unless the client keeps those of what it sees. */
  takes(event: AnswerEvent): boolean {
    if (event.type === 'sign') return this.#isThought || !this.#keepsSignatures;
    if (event.type === 'open') this.#isThought = event.block.kind === 'reasoning' || event.block.kind === 'redacted';
    if (!this.#isThought) return false;
    if (event.type === 'delta' && event.text !== '') this.output = addOutput(this.output, thoughtOf(event.text));
    this.#isThought = event.type !== 'close';
    return event.type === 'open' || event.type === 'delta' || event.type === 'close';
  }
}

function thoughtOf(text: string): Output {
  const tokens = weighTokens(text);
  return { ...NO_OUTPUT, hasReasoning: true, tokens, reasoningTokens: tokens };
}

/** From here on the text is the vendor's, not the model's. */
export function isVendors(event: AnswerEvent): boolean {
  return event.type === 'open' && event.block.kind === 'refusal' && event.block.isVendors === true;
}

export function createRestorer(written: WrittenRequest, stops: StopMatcher): (event: AnswerEvent) => AnswerEvent[] {
  const restoreTools = createToolRestorer(written);
  const dropGaps = createGapFilter();
  return (event) => restoreTools(event).flatMap(dropGaps).flatMap(stops.take);
}

// Drops text of white space alone between two tool calls. Some models separate their calls with it, and clients would show
// it as an answer of its own.
function createGapFilter(): (event: AnswerEvent) => AnswerEvent[] {
  /** The block before this one is a call. */
  let isAfterCall = false;
  /** Text after a call, while it is white space alone. */
  let gap: AnswerEvent[] = [];

  return (event) => {
    const isCall = event.type === 'open' && event.block.kind === 'tool';
    const isText = event.type === 'open' && event.block.kind === 'text';
    if (gap.length === 0 ? isAfterCall && isText : isText || isBlank(event)) {
      gap.push(event);
      return [];
    }
    if (event.type === 'open') isAfterCall = isCall;
    const before = isCall ? [] : gap;
    gap = [];
    return [...before, event];
  };
}

function isBlank(event: AnswerEvent): boolean {
  return event.type === 'close' || (event.type === 'delta' && !event.isMedia && event.text.trim() === '');
}

/** A whole answer of an upstream in the client's dialect, whether it came whole or as a stream. */
export function carryWhole(
  whole: WholeEvents,
  translation: Translation,
  written: WrittenRequest,
  context: AnswerContext,
): CarriedAnswer | GaveUp | undefined {
  const { dialect, client } = translation;
  if (whole.events.at(-1)?.type === 'broken') return { gaveUp: whole.usage };
  const stops = createStopMatcher(written.localStops ?? []);
  const events = whole.events.flatMap(createRestorer(written, stops));
  const writeWhole = (said: AnswerEvent[]) => readAnswerJson(client.writeWhole(said, context));
  const answer = writeWhole(events);
  const facts = dialect.answer.read(answer);
  if (!facts) return undefined;
  if (facts.gaveUp) return { gaveUp: whole.usage, refusal: facts.refusal };
  const outputOf = (said: AnswerEvent[]) =>
    said.length === events.length ? facts.output : (dialect.answer.read(writeWhole(said))?.output ?? facts.output);
  const own = modelsOwn(events);
  const { tokens } = outputOf(own.filter((event) => !isPicture(event)));
  const lost = [...(whole.lost ?? []), ...(client.findLost?.(events, context) ?? [])];
  const hidden = hidesThoughts(translation) ? new HiddenThoughts(client) : undefined;
  const shown = hidden ? writeWhole(events.filter((event) => !hidden.takes(event))) : answer;
  const output = { ...outputOf(own), tokens };
  const tokensAfterStop = stops.tokensAfterStop();
  const usage = checkReport(whole.usage, output);
  const plainTokens = tokensAfterStop === undefined ? undefined : weighPlain(textOf(own));
  return { document: shown, facts: { ...facts, output, usage, tokensAfterStop, plainTokens }, lost };
}

/** A stream as one answer; undefined if it never finished. */
export function joinEvents(sent: readonly SseEvent[], reader: EventReader): WholeEvents | undefined {
  const events = [...sent.flatMap((event) => reader.read(event)), ...reader.end()];
  const end = events.findIndex((event) => event.type === 'stop' || event.type === 'broken');
  const last = events[end];
  const isAnswer = last?.type === 'stop' || (last?.type === 'broken' && last.gaveUp === true);
  return isAnswer ? { events: events.slice(0, end + 1), usage: reader.facts(true).usage } : undefined;
}

function textOf(events: readonly AnswerEvent[]): string {
  return events.map((event) => (event.type === 'delta' && !isPicture(event) ? event.text : '')).join('');
}

function modelsOwn(events: AnswerEvent[]): AnswerEvent[] {
  const vendors = events.findIndex(isVendors);
  if (vendors < 0) return events;
  return [...events.slice(0, vendors), ...events.filter(({ type }) => type === 'stop')];
}
