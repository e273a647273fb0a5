// Reads a response of an upstream as events, streamed or whole. Text that came in deltas is not read again from the closing
// events; text that only these carry is.

import { isObject, type Json, type JsonDocument, type JsonObject, tryParseJson } from '../../../kit/json/json.ts';
import type { UsageReport } from '../../dialect.ts';
import type { Target } from '../../translate/adapters.ts';
import type { AnswerEvent, Block, EventReader, StopReason, WholeEvents } from '../../translate/answer-events.ts';
import { createSequencer } from '../../translate/one-block-at-a-time.ts';
import { createGivenIds } from '../../translate/tools/call-ids.ts';
import { createNewTextFilter, FAILURES, indexAt, isEnded, listOf, readEvent } from '../read-answer.ts';
import { readUsage } from '../usage.ts';
import { createItemPlaces } from './item-places.ts';

const BROKEN: AnswerEvent[] = [{ type: 'broken' }];

export function createEventReader(target: Target): EventReader {
  const read = createResponseReader(target);
  let usage: UsageReport = 'absent';
  return {
    read({ data = '' }) {
      if (data === '[DONE]') return [{ type: 'done' }];
      const value = tryParseJson(data);
      if (!isObject(value) || typeof value.type !== 'string') return BROKEN;
      if (isObject(value.response) && isObject(value.response.usage)) {
        usage = readUsage(value.response.usage, value.response.service_tier);
      }
      const events = read(value);
      const isOver = events.some(({ type }) => type === 'stop') && usage !== 'absent';
      return isOver ? [...events, { type: 'done' }] : events;
    },
    end: () => [],
    facts: () => ({ usage }),
  };
}

export function readWhole({ value }: JsonDocument, target: Target): WholeEvents | undefined {
  if (!Array.isArray(value.output) || !isEnded(value)) return undefined;
  const events = createResponseReader(target)({ type: 'response.completed', response: value });
  return events.some(({ type }) => type === 'broken')
    ? undefined
    : { events, usage: readUsage(value.usage, value.service_tier) };
}

/** Reads event after event of one response. */
function createResponseReader({ requestId }: Target): (event: JsonObject) => AnswerEvent[] {
  const sequencer = createSequencer();
  const takeNew = createNewTextFilter();
  const places = createItemPlaces();
  const giveId = createGivenIds(requestId);
  /** By the item's place. */
  const calls = new Map<number, Block>();
  /** Where each text begins in the text of the whole answer. */
  const starts = new Map<string, number>();
  let textLength = 0;
  /** The last text, as long as no other block is open. */
  let openText: string | undefined;
  const thoughts = new Set<string>();
  const cited = new Set<string>();

  /** `index`: the place of the event's item. */
  function take(event: JsonObject, index: number): AnswerEvent[] {
    const { item } = event;
    if (isObject(item) && isCall(item)) {
      const { call_id: id, name } = item;
      if (!calls.has(index)) calls.set(index, { kind: 'tool', id: giveId(id), name: String(name ?? '') });
    }
    // The end of a call repeats everything that came before its name was known.
    const newTexts = readEvent(event, index).filter(({ slot }) => calls.has(index) || BLOCKS.has(kindOf(slot)));
    const events = newTexts.flatMap((said) => [...takeNew(said).flatMap(addText), ...citeAll(event, said.slot)]);
    if (event.type === 'response.output_text.annotation.added') {
      events.push(...cite(event.annotation, `0/${index}/text/${indexAt(event, 'content_index')}`));
    }
    if (event.type === 'response.output_item.done' && isObject(item)) events.push(...endItem(item, index));
    return events;
  }

  function addText({ slot, text }: { slot: string; text: string }): AnswerEvent[] {
    const [, at = ''] = slot.split('/');
    const kind = kindOf(slot);
    const call = calls.get(Number(at));
    openText = kind === 'text' ? slot : undefined;
    if (call) return sequencer.add(at, () => call, kind === 'name' ? '' : text);
    const block = BLOCKS.get(kind);
    if (!block) return [];
    if (block.kind === 'reasoning') return sequencer.add(at, () => block, paragraph(at, slot) + text);
    if (kind === 'text') {
      if (!starts.has(slot)) starts.set(slot, textLength);
      textLength += text.length;
    }
    return sequencer.add(slot, () => block, text);
  }

  /** Each part of a summary is a paragraph of it. */
  function paragraph(item: string, slot: string): string {
    const isFurther = thoughts.has(item) && !thoughts.has(slot);
    thoughts.add(item).add(slot);
    return isFurther ? '\n\n' : '';
  }

  /** The citations of a whole text: some upstreams give them only here, others gave them before. */
  function citeAll({ part, item }: JsonObject, slot: string): AnswerEvent[] {
    const whole = isObject(item) ? listOf(item.content)[Number(slot.split('/').at(-1))] : part;
    return isObject(whole) ? listOf(whole.annotations).flatMap((annotation) => cite(annotation, slot)) : [];
  }

  function cite(annotation: Json | undefined, slot: string): AnswerEvent[] {
    const start = starts.get(slot);
    if (slot !== openText || start === undefined || !isObject(annotation) || annotation.type !== 'url_citation')
      return [];
    const { url, title } = annotation;
    const [from, to] = [indexAt(annotation, 'start_index'), indexAt(annotation, 'end_index')];
    const key = JSON.stringify([slot, url, from, to]);
    if (cited.has(key)) return [];
    cited.add(key);
    const citation = { url: String(url), title: String(title ?? ''), start: start + from, end: start + to };
    return [{ type: 'cite', citation }];
  }

  function endItem(item: JsonObject, index: number): AnswerEvent[] {
    const slot = String(index);
    if (item.type !== 'reasoning') return calls.has(index) ? sequencer.end(slot) : [];
    const sealed = item.encrypted_content;
    if (typeof sealed !== 'string' || sealed === '') return [];
    return [
      ...sequencer.add(slot, () => ({ kind: 'reasoning' }), ''),
      ...sequencer.sign(slot, sealed),
      ...sequencer.end(slot),
    ];
  }

  function finish(response: JsonObject): AnswerEvent[] {
    if (!isEnded(response)) return BROKEN;
    const items = listOf(response.output).filter(isObject);
    const missed = places.findAll(items).flatMap(({ at, isEnded: isKnown }, position) => {
      const item = items[position];
      return isKnown || !item ? [] : take({ type: 'response.output_item.done', item }, at);
    });
    if (places.lacksWords()) return BROKEN;
    return [...missed, ...sequencer.flush(), { type: 'stop', reason: stopOf(response, calls.size > 0) }];
  }

  return (event) => {
    if (FAILURES.has(event.type)) return BROKEN;
    switch (event.type) {
      case 'response.completed':
      case 'response.incomplete':
        return isObject(event.response) ? finish(event.response) : BROKEN;
      default: {
        const place = places.find(event);
        return place ? take(event, place.at) : [];
      }
    }
  };
}

const BLOCKS: ReadonlyMap<string, Block> = new Map<string, Block>([
  ['text', { kind: 'text' }],
  ['refusal', { kind: 'refusal' }],
  ['summary', { kind: 'reasoning' }],
  ['thought', { kind: 'reasoning' }],
]);

function kindOf(slot: string): string {
  return slot.split('/')[2] ?? '';
}

function isCall({ type }: JsonObject): boolean {
  return type === 'function_call' || type === 'custom_tool_call';
}

function stopOf({ status, incomplete_details: details }: JsonObject, hasCalls: boolean): StopReason {
  if (isObject(details) && details.reason === 'content_filter') return 'filter';
  // An incomplete answer must not look complete, whatever its reason.
  if (status === 'incomplete') return 'length';
  return hasCalls ? 'tool' : 'end';
}
