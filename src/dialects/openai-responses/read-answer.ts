// Reads a response, whole or event by event: whether it is complete, how it ended, its usage and its output; and the content of
// its items and of stream events, each segment in its slot. A stream carries everything twice, in deltas and then whole:
// `isWhole` tells them apart. Text is never kept.

import {
  isObject,
  type Json,
  type JsonDocument,
  type JsonObject,
  objectsOf,
  tryReadAnswerJson,
} from '../../kit/json/json.ts';
import { addCalls, type ToolCalls } from '../../kit/prices.ts';
import { checkReport, hasCounted, oneCall, outputOfSegments, weighSegments } from '../counts.ts';
import {
  type AnswerFacts,
  addOutput,
  NO_OUTPUT,
  type Output,
  type Segment,
  type StreamEvent,
  type StreamReader,
} from '../dialect.ts';
import { typicalTokens } from '../input/tool-use.ts';
import { BROKEN, DONE } from '../stream/bare-events.ts';
import { isEventName } from '../stream/sse.ts';
import { TEXTS } from './text-kinds.ts';
import { readUsage } from './usage.ts';

export function readAnswer({ value }: JsonDocument): AnswerFacts | undefined {
  if (!Array.isArray(value.output) || !isEnded(value)) return undefined;
  const usage = readUsage(value.usage, value.service_tier);
  const output = outputOfResponse(value, hasCounted(usage));
  return { usage: checkReport(usage, output), output, finish: readFinish(value) };
}

/** An answer without a status is complete. */
export function isEnded({ status, error }: JsonObject): boolean {
  const isFine = status === undefined || status === null || status === 'completed' || status === 'incomplete';
  return isFine && !isObject(error);
}

/** Events that replace the end of a failed response. */
export const FAILURES: ReadonlySet<unknown> = new Set(['response.failed', 'response.cancelled', 'error']);

function readFinish({ incomplete_details: details }: JsonObject): AnswerFacts['finish'] {
  return isObject(details) && details.reason === 'max_output_tokens' ? 'length' : 'other';
}

function outputOfResponse({ output }: JsonObject, isCounted = false): Output {
  const items = objectsOf(output);
  if (items.length === 0) return NO_OUTPUT;
  const segments = items.flatMap(readItem);
  const toolCalls = items.map(callOf).reduce(addCalls, undefined);
  const found = { ...outputOf(segments, isCounted ? 0 : weighSegments(segments)), toolCalls };
  return items.some(isReasoning) ? { ...found, hasReasoning: true } : found;
}

/** It counts as output, though most reasoning is not shown. */
function isReasoning({ type }: JsonObject): boolean {
  return type === 'reasoning';
}

export interface SlotText extends Segment {
  /** All that the slot holds, not only what is new. */
  isWhole: boolean;
}

const TEXT_EVENT = /^response\.(.+)\.(delta|done)$/;

/** The content of a stream event of the item at `index`; empty for progress events. */
export function readEvent(event: JsonObject, index: number): SlotText[] {
  switch (event.type) {
    case 'response.output_item.added':
    case 'response.output_item.done':
      return isObject(event.item) ? readItem(event.item, index) : [];
    case 'response.content_part.added':
    case 'response.content_part.done':
      return readPart(event.part, index, indexAt(event, 'content_index'));
    case 'response.reasoning_summary_part.added':
    case 'response.reasoning_summary_part.done':
      return isObject(event.part) ? whole(`${index}/summary/${indexAt(event, 'summary_index')}`, event.part.text) : [];
    default:
      return readText(event, index);
  }
}

function readText(event: JsonObject, index: number): SlotText[] {
  const [, name = '', end] = TEXT_EVENT.exec(String(event.type)) ?? [];
  const kind = TEXTS.get(name);
  const at = kind?.list ? `/${indexAt(event, kind.list.index)}` : '';
  const slot = `${index}/${kind?.slot ?? name}${at}`;
  if (end === 'done') return kind ? whole(slot, event[kind.field]) : [];
  return slotText(slot, event.delta, false);
}

/** An item of another type counts as content by its type alone. */
function readItem(item: JsonObject, index: number): SlotText[] {
  switch (item.type) {
    case 'message':
      return listOf(item.content).flatMap((part, at) => readPart(part, index, at));
    case 'reasoning':
      return [
        ...listOf(item.summary).flatMap((part, at) => textOf(`${index}/summary/${at}`, part)),
        ...listOf(item.content).flatMap((part, at) => textOf(`${index}/thought/${at}`, part)),
      ];
    case 'function_call':
      return [...whole(`${index}/name`, item.name), ...whole(`${index}/arguments`, item.arguments)];
    case 'custom_tool_call':
      return [...whole(`${index}/name`, item.name), ...whole(`${index}/input`, item.input)];
    default:
      return whole(`${index}/item`, item.type);
  }
}

function readPart(part: Json | undefined, index: number, at: number): SlotText[] {
  if (!isObject(part)) return [];
  if (part.type === 'refusal') return whole(`${index}/refusal/${at}`, part.refusal);
  return textOf(`${index}/${part.type === 'reasoning_text' ? 'thought' : 'text'}/${at}`, part);
}

function textOf(slot: string, part: Json | undefined): SlotText[] {
  return isObject(part) ? whole(slot, part.text) : [];
}

function whole(slot: string, text: Json | undefined): SlotText[] {
  return slotText(slot, text, true);
}

/** All items belong to one answer, in order. */
function slotText(slot: string, text: Json | undefined, isWhole: boolean): SlotText[] {
  return typeof text === 'string' && text !== '' ? [{ slot: `0/${slot}`, text, isWhole }] : [];
}

function outputOf(segments: readonly Segment[], tokens: number = weighSegments(segments)): Output {
  const toolInput = segments.reduce((sum, segment) => sum + toolInputOf(segment), 0);
  return { ...outputOfSegments(segments, ({ slot }) => REASONING_SLOT.test(slot), tokens), toolInput };
}

/** Calls that the upstream itself has run; other items are run by the client, or bring nothing. */
const VENDOR_CALL = /^(?:web_search|file_search|code_interpreter|mcp)_call$/;

function toolInputOf({ slot, text }: Segment): number {
  return slot.endsWith('/item') && VENDOR_CALL.test(text) ? typicalTokens(text) : 0;
}

/** The call of a tool that the upstream has run: of a search of the web only if it searched, not if it opened a page. */
function callOf({ type, action }: JsonObject): ToolCalls | undefined {
  if (typeof type !== 'string' || !type.endsWith(CALL)) return undefined;
  const isSearch = !isObject(action) || typeof action.type !== 'string' || action.type === 'search';
  return type !== `web_search${CALL}` || isSearch ? oneCall(type.slice(0, -CALL.length)) : undefined;
}

const CALL = '_call';
const REASONING_SLOT = /\/(?:summary|thought)\/\d+$/;

export function indexAt(event: JsonObject, name: string): number {
  const index = event[name];
  return typeof index === 'number' ? index : 0;
}

export function listOf(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : [];
}

const ITEM_DONE = 'response.output_item.done';

export function createStreamReader(): StreamReader {
  const facts: AnswerFacts = { usage: 'absent', output: NO_OUTPUT, finish: 'other' };
  const takeNew = createNewTextFilter();
  let finished = false;

  function finish(name: string, document: JsonDocument, response: JsonObject): StreamEvent[] {
    if (!isEnded(response)) return [BROKEN];
    finished = true;
    facts.finish = readFinish(response);
    facts.usage = readUsage(response.usage, response.service_tier);
    const whole = outputOfResponse(response);
    // Some upstreams send all output only at the end.
    const hasNoOutput = !facts.output.hasContent && !facts.output.hasReasoning;
    facts.output = addOutput(
      facts.output,
      hasNoOutput ? whole : { ...whole, tokens: 0, reasoningTokens: 0, toolInput: 0, toolCalls: undefined },
    );
    if (whole.toolCalls) facts.output = { ...facts.output, toolCalls: whole.toolCalls };
    const last: StreamEvent = { kind: 'held', name, document, segments: [] };
    // No end mark need follow; where the usage is still missing, something may.
    return facts.usage === 'absent' ? [last] : [last, DONE];
  }

  function read(document: JsonDocument): StreamEvent[] {
    const { value } = document;
    const name = String(value.type);
    if (FAILURES.has(name)) return [BROKEN];
    switch (name) {
      case 'response.completed':
      case 'response.incomplete':
        return isObject(value.response) ? finish(name, document, value.response) : [BROKEN];
      default: {
        const segments = readEvent(value, indexAt(value, 'output_index')).flatMap(takeNew);
        const output = outputOf(segments);
        const hasHidden = isObject(value.item) && isReasoning(value.item);
        const toolCalls = name === ITEM_DONE && isObject(value.item) ? callOf(value.item) : undefined;
        const hasReasoning = output.hasReasoning || hasHidden;
        facts.output = addOutput(facts.output, { ...output, hasReasoning, toolCalls });
        return [{ kind: output.hasContent || output.hasReasoning ? 'output' : 'other', name, document, segments }];
      }
    }
  }

  return {
    read({ data = '' }) {
      if (data === '[DONE]') return [DONE];
      const document = tryReadAnswerJson(data);
      if (typeof document?.value.type !== 'string') return [BROKEN];
      return isEventName(document.value.type) ? read(document) : [];
    },
    facts: () => ({ ...facts, usage: checkReport(facts.usage, facts.output, finished), finished }),
    isFinished: () => finished,
  };
}

/** The part of a complete text that no delta had. */
export function createNewTextFilter(): (said: SlotText) => Segment[] {
  const lengths = new Map<string, number>();
  return ({ slot, text, isWhole }) => {
    const known = lengths.get(slot) ?? 0;
    const fresh = isWhole ? text.slice(known) : text;
    if (fresh === '') return [];
    lengths.set(slot, known + fresh.length);
    return [{ slot, text: fresh }];
  };
}
