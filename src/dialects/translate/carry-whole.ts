// A whole answer of an upstream in the client's dialect, whether it came whole or as a stream.

import { readAnswerJson } from '../../kit/json/json.ts';
import type { CarriedAnswer, GaveUp } from '../carrier.ts';
import { checkReport } from '../counts.ts';
import { weighPlain } from '../input/plain-tokens.ts';
import { isPicture } from '../media/picture.ts';
import type { SseEvent } from '../stream/sse.ts';
import type { AnswerContext, ClientAdapter, WrittenRequest } from './adapters.ts';
import type { AnswerEvent, EventReader, WholeEvents } from './answer-events.ts';
import { createStopMatcher } from './stop-sequences.ts';
import { createRestorer, HiddenThoughts, hidesThoughts, isVendors, type Translation } from './translation.ts';

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
  const shown = hidesThoughts(translation) ? writeWhole(events.filter(isShown(client))) : answer;
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

function isShown(client: ClientAdapter): (event: AnswerEvent) => boolean {
  const hidden = new HiddenThoughts(client);
  return (event) => !hidden.takes(event);
}

function modelsOwn(events: AnswerEvent[]): AnswerEvent[] {
  const vendors = events.findIndex(isVendors);
  if (vendors < 0) return events;
  return [...events.slice(0, vendors), ...events.filter(({ type }) => type === 'stop')];
}
