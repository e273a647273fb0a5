// A whole response as the events of a stream, the events of a stream as the response at its end, and streams that the gateway
// writes itself.

import { isObject, type Json, type JsonDocument, type JsonObject, tryParseJson } from '../../kit/json/json.ts';
import { openRaw, RawJson, type RawPlace, type RawValue, writeJson } from '../../kit/json/raw-json.ts';
import { type SseEvent, writeSse } from '../stream/sse.ts';
import { FAILURES, listOf } from './read-answer.ts';
import { PART_LISTS, type PartList, TEXTS } from './text-kinds.ts';

type Fields = { [name: string]: RawValue | undefined };
type Event = Fields & { type: string };

export function writeAsStream({ text, value }: JsonDocument): string {
  const status = typeof value.status === 'string' ? value.status : 'completed';
  const begun = { ...value, status: 'in_progress', incomplete_details: null, output: [], usage: null };
  const places = openRaw(text).at('output');
  const events: Event[] = [
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    ...listOf(value.output).flatMap((item, at) => (isObject(item) ? writeItem(item, at, places?.at(at)) : [])),
    { type: `response.${status}`, response: value.status === status ? new RawJson(text) : { ...value, status } },
  ];
  return events.map((event, at) => writeSse(writeJson({ ...event, sequence_number: at }), event.type)).join('');
}

/** The events of a text, and its field. */
type NamedText = [event: string, field: string];

/** By the type of the part, or of the call that has the text itself. */
const PARTS = new Map<string, NamedText>();
const CALLS = new Map<string, NamedText>();
for (const [event, { item, list, field }] of TEXTS) {
  if (list) PARTS.set(event.replace('reasoning_summary', 'summary'), [event, field]);
  else CALLS.set(item, [event, field]);
}

function writeItem(item: JsonObject, output_index: number, place: RawPlace | undefined): Event[] {
  const call = CALLS.get(String(item.type));
  const open: JsonObject = { ...item, ...(item.status === undefined ? {} : { status: 'in_progress' }) };
  for (const { name } of PART_LISTS) if (Array.isArray(item[name])) open[name] = [];
  if (call) open[call[1]] = '';
  const where = { item_id: item.id, output_index };
  const inside = [...PART_LISTS.flatMap((list) => writeParts(item, list)), ...(call ? writeText(call, item) : [])];
  return [
    { type: 'response.output_item.added', output_index, item: open },
    ...inside.map((event) => ({ ...event, ...where })),
    { type: 'response.output_item.done', output_index, item: place ? new RawJson(place.text) : item },
  ];
}

function writeParts(item: JsonObject, { name, event, index }: PartList): Event[] {
  return listOf(item[name]).flatMap((part, at): Event[] => {
    const text = isObject(part) ? PARTS.get(String(part.type)) : undefined;
    if (!isObject(part) || !text) return [];
    const sources = listOf(part.annotations);
    const open = { ...part, [text[1]]: '', ...(sources.length > 0 ? { annotations: [] } : {}) };
    const type = 'response.output_text.annotation.added';
    const cited = sources.map((annotation, annotation_index) => ({ type, annotation_index, annotation }));
    const [delta, ...done] = writeText(text, part);
    const events: Event[] = [
      { type: `response.${event}.added`, part: open },
      ...(delta ? [delta] : []),
      ...cited,
      ...done,
      { type: `response.${event}.done`, part },
    ];
    return events.map((one) => ({ ...one, [index]: at }));
  });
}

function writeText([event, field]: NamedText, whole: JsonObject): Event[] {
  const text = whole[field];
  return [
    { type: `response.${event}.delta`, delta: text },
    { type: `response.${event}.done`, [field]: text },
  ];
}

/** The last event holds all of the response; items that it leaves out came before. */
export function joinStream(events: readonly SseEvent[]): RawValue | undefined {
  const items: Json[] = [];
  for (const { data = '' } of events) {
    const event = tryParseJson(data);
    if (!isObject(event)) continue;
    if (FAILURES.has(event.type)) return undefined;
    if (event.type === 'response.output_item.done' && isObject(event.item)) items.push(event.item);
    if (event.type !== 'response.completed' && event.type !== 'response.incomplete') continue;
    const { response } = event;
    if (!isObject(response)) return undefined;
    if (listOf(response.output).length === 0) return { ...response, output: items };
    return new RawJson(openRaw(data).at('response')?.text ?? '{}');
  }
  return undefined;
}

/** Numbered from 0. */
export function writeEvents(events: readonly (JsonObject & { type: string })[]): string {
  return events
    .map(({ type, ...event }, number) => writeSse(JSON.stringify({ type, sequence_number: number, ...event }), type))
    .join('');
}

/** A fault as a stream that begins and fails. */
export function writeFailedStream(error: { code: string; message: string }, requestId: string): string {
  const response = { id: `resp_${requestId}`, object: 'response', output: [], usage: null };
  return writeEvents([
    { type: 'response.created', response: { ...response, status: 'in_progress', error: null } },
    { type: 'response.failed', response: { ...response, status: 'failed', error } },
  ]);
}
