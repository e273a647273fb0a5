// Records the structure of a stream that was sent: items with their ids, and each event with more than text. A second run is
// compared with it: sent events are not sent again, and a difference is a mismatch.

import { isObject, type Json, type JsonObject } from '../../kit/json/json.ts';

interface SeenItem {
  type: string;
  id: Json | undefined;
  callId: Json | undefined;
}

export class SeenEvents {
  readonly items: Map<number, SeenItem>;
  /** The type of the item or part, by place. */
  readonly events: Map<string, string>;

  constructor(before?: SeenEvents) {
    this.items = new Map(before?.items);
    this.events = new Map(before?.events);
  }

  note(event: JsonObject): void {
    const { item, output_index: index } = event;
    if (typeof index !== 'number') return;
    if (isObject(item) && !this.items.has(index)) {
      this.items.set(index, { type: String(item.type), id: item.id, callId: item.call_id });
    }
    if (!isDelta(event)) this.events.set(placeOf(event), kindAt(event));
  }
}

const PLACES = ['output_index', 'content_index', 'summary_index', 'annotation_index', 'command_index'] as const;

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
