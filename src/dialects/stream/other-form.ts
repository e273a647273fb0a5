// Some upstreams answer with JSON although a stream was requested, or with a stream instead of JSON. Each format can convert
// one to the other, so that the answer is read as if it had been sent in the requested form.

import type { JsonDocument } from '../../kit/json/json.ts';
import type { RawValue } from '../../kit/json/raw-json.ts';
import { isKeepAlive, type SseEvent, SseReader } from './sse.ts';

export interface OtherForm {
  /** A whole answer as the text of an equivalent stream. */
  writeAsStream(whole: JsonDocument): string;
  /** Joins the events of a stream to one answer; undefined if they are not a complete one. */
  joinStream(events: readonly SseEvent[]): RawValue | undefined;
}

/** The events of a stream that came as one text. Throws SseTooLong. */
export function splitEvents(text: string): SseEvent[] {
  const reader = new SseReader();
  const events = reader.push(new TextEncoder().encode(text));
  const last = reader.end();
  const all = last ? [...events, last] : events;
  return all.filter(({ event, data }) => data !== undefined && data !== '' && !isKeepAlive(event));
}
