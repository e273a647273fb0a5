// What a client has seen of a stream's structure: items and their ids, and each event that has more than text. A second
// run is compared with it: events that were sent are not sent again, and a difference means another answer.

import { isObject, type Json, type JsonObject } from '../../kit/json/json.ts';

interface SeenItem {
  type: string;
  id: Json | undefined;
  callId: Json | undefined;
}

export interface SeenEvents {
  items: ReadonlyMap<number, SeenItem>;
  /** By place; the value is what stood there. */
  events: ReadonlyMap<string, string>;
}

interface SeenLog extends SeenEvents {
  note(event: JsonObject): void;
  copy(): SeenEvents;
}

const PLACES = ['output_index', 'content_index', 'summary_index', 'annotation_index', 'command_index'] as const;

export function createSeenLog(): SeenLog {
  const items = new Map<number, SeenItem>();
  const events = new Map<string, string>();
  return {
    items,
    events,
    note(event) {
      const { item, output_index: index } = event;
      if (typeof index !== 'number') return;
      if (isObject(item) && !items.has(index)) {
        items.set(index, { type: String(item.type), id: item.id, callId: item.call_id });
      }
      if (!isDelta(event)) events.set(placeOf(event), kindAt(event));
    },
    copy: () => ({ items: new Map(items), events: new Map(events) }),
  };
}

export function isDelta({ type }: JsonObject): boolean {
  return String(type).endsWith('.delta');
}

/** Where an event belongs, and which of the several that belong there it is. */
export function placeOf(event: JsonObject, type = String(event.type)): string {
  return [type, ...PLACES.map((name) => event[name] ?? '')].join(' ');
}

/** An event after which its text does not go on. */
export function endPlaceOf(delta: JsonObject): string {
  return placeOf(delta, String(delta.type).replace(/\.delta$/, '.done'));
}

export function kindAt({ item, part }: JsonObject): string {
  if (isObject(item)) return String(item.type);
  return isObject(part) ? String(part.type) : '';
}
