// The items of a response stream as the client has them, with the text of the one that is still open: an answer that we end
// must close what was opened. If an answer is too long to be kept, nothing is closed.

import { isObject, type Json, type JsonObject } from '../../kit/json/json.ts';
import { PART_LISTS, TEXTS } from './text-kinds.ts';

const MAX_KEPT_CHARS = 1024 * 1024;

const EVENT = /^response\.(\w+)\.(added|delta|done)$/;

interface OpenItem {
  item: JsonObject;
  /** Complete parts, by their list. */
  lists: Record<string, Json[]>;
  /** The open text. */
  text: { kind: string; index: Json | undefined; said: string } | undefined;
  /** The open part. */
  part: JsonObject | undefined;
}

export function createOpenItems() {
  const output = new Map<number, Json>();
  const open = new Map<number, OpenItem>();
  let kept = 0;

  function noteText(known: OpenItem, kind: string, event: JsonObject): void {
    if (typeof event.delta !== 'string') return;
    kept += event.delta.length;
    const index = event[TEXTS.get(kind)?.list?.index ?? ''];
    const said = (known.text?.said ?? '') + event.delta;
    known.text = { kind, index, said: kept > MAX_KEPT_CHARS ? '' : said };
  }

  function notePart(known: OpenItem, list: string, isDone: boolean, { part }: JsonObject): void {
    if (!isObject(part)) return;
    known.part = isDone ? undefined : part;
    if (isDone) known.lists[list] = [...(known.lists[list] ?? []), part];
  }

  function noteItem(index: number, isDone: boolean, item: JsonObject): void {
    if (isDone) {
      open.delete(index);
      if (kept <= MAX_KEPT_CHARS) output.set(index, item);
      else output.clear();
    } else open.set(index, { item, lists: {}, text: undefined, part: undefined });
  }

  /** Everything that was begun in it ends here. */
  function closeItem(index: number, known: OpenItem): JsonObject[] {
    const { item, lists, text, part } = known;
    const place = { item_id: item.id ?? null, output_index: index };
    const events: JsonObject[] = [];
    let own: JsonObject = {};
    const kind = text && TEXTS.get(text.kind);
    if (text && kind) {
      const whole = { [kind.field]: text.said };
      const { list } = kind;
      const at = list ? { ...place, [list.index]: text.index ?? 0 } : place;
      const logprobs = text.kind === 'output_text' ? { logprobs: [] } : {};
      events.push({ type: `response.${text.kind}.done`, ...at, ...whole, ...logprobs });
      if (list && part) {
        const wholePart = { ...part, ...whole };
        events.push({ type: `response.${list.event}.done`, ...at, part: wholePart });
        notePart(known, list.name, true, { part: wholePart });
      }
      if (!list) own = whole;
    }
    const whole = { ...item, ...lists, ...own, status: 'incomplete' };
    output.set(index, whole);
    return [...events, { type: 'response.output_item.done', output_index: index, item: whole }];
  }

  return {
    /** `chars`: how long the event is. */
    note(event: JsonObject, chars: number): void {
      const { output_index: index, item } = event;
      const [, kind = '', end] = EVENT.exec(String(event.type)) ?? [];
      if (typeof index !== 'number' || end === undefined) return;
      if (kind === 'output_item' && isObject(item)) {
        kept += chars;
        noteItem(index, end === 'done', item);
        return;
      }
      const known = open.get(index);
      if (!known) return;
      const list = PART_LISTS.find((one) => one.event === kind);
      if (list) notePart(known, list.name, end === 'done', event);
      else if (end === 'delta' && TEXTS.has(kind)) noteText(known, kind, event);
      else if (end === 'done' && kind === known.text?.kind) known.text = undefined;
    },
    /** Events that close the open item; then `output` has all items. */
    close(): JsonObject[] {
      if (kept > MAX_KEPT_CHARS) return [];
      const events = [...open].flatMap(([index, known]) => closeItem(index, known));
      open.clear();
      return events;
    },
    output: () => [...output].sort(([a], [b]) => a - b).map(([, item]) => item),
  };
}
