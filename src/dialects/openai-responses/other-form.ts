// A whole response as the events of a stream, and the events of a stream as the response at its end.

import { isObject, type Json, type JsonDocument, type JsonObject, tryParseJson } from '../../kit/json/json.ts';
import { openRaw, RawJson, type RawPlace, type RawValue, writeJson } from '../../kit/json/raw-json.ts';
import { type SseEvent, writeSse } from '../stream/sse.ts';
import { FAILURES } from './read-answer.ts';
import { listOf } from './read-output.ts';

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

/** Lists of parts, with the events that begin and end one, and the field that counts them. */
const LISTS = {
  content: { part: 'content_part', index: 'content_index' },
  summary: { part: 'reasoning_summary_part', index: 'summary_index' },
} as const;

/** The events that carry a part's text, and the field that holds it. */
const PARTS: Readonly<Record<string, { event: string; field: string }>> = {
  output_text: { event: 'output_text', field: 'text' },
  refusal: { event: 'refusal', field: 'refusal' },
  reasoning_text: { event: 'reasoning_text', field: 'text' },
  summary_text: { event: 'reasoning_summary_text', field: 'text' },
};

const CALLS: Readonly<Record<string, { event: string; field: string }>> = {
  function_call: { event: 'function_call_arguments', field: 'arguments' },
  custom_tool_call: { event: 'custom_tool_call_input', field: 'input' },
};

function writeItem(item: JsonObject, output_index: number, place: RawPlace | undefined): Event[] {
  const call = CALLS[String(item.type)];
  const open: JsonObject = { ...item, ...(item.status === undefined ? {} : { status: 'in_progress' }) };
  for (const name of Object.keys(LISTS)) if (Array.isArray(item[name])) open[name] = [];
  if (call) open[call.field] = '';
  const where = { item_id: item.id, output_index };
  const inside = [...writeParts(item, 'summary'), ...writeParts(item, 'content'), ...(call ? said(call, item) : [])];
  return [
    { type: 'response.output_item.added', output_index, item: open },
    ...inside.map((event) => ({ ...event, ...where })),
    { type: 'response.output_item.done', output_index, item: place ? new RawJson(place.text) : item },
  ];
}

function writeParts(item: JsonObject, list: keyof typeof LISTS): Event[] {
  const { part: name, index } = LISTS[list];
  return listOf(item[list]).flatMap((part, at): Event[] => {
    const text = isObject(part) ? PARTS[String(part.type)] : undefined;
    if (!isObject(part) || !text) return [];
    const sources = listOf(part.annotations);
    const open = { ...part, [text.field]: '', ...(sources.length > 0 ? { annotations: [] } : {}) };
    const type = 'response.output_text.annotation.added';
    const cited = sources.map((annotation, annotation_index) => ({ type, annotation_index, annotation }));
    const [delta, ...done] = said(text, part);
    const events: Event[] = [
      { type: `response.${name}.added`, part: open },
      ...(delta ? [delta] : []),
      ...cited,
      ...done,
      { type: `response.${name}.done`, part },
    ];
    return events.map((event) => ({ ...event, [index]: at }));
  });
}

function said({ event, field }: { event: string; field: string }, whole: JsonObject): Event[] {
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
