// An upstream's chat answer as events, from its stream or whole. It takes what upstreams really send: thoughts under two
// names, content in parts, calls mixed up, a finish that does not fit what was said.

import { isObject, type JsonDocument, type JsonObject, tryParseJson } from '../../../kit/json/json.ts';
import { openRaw } from '../../../kit/json/raw-json.ts';
import type { UsageReport } from '../../dialect.ts';
import { isFinish } from '../../stream/is-finish.ts';
import { type Repeat, ShapeMemory } from '../../stream/shape.ts';
import type { Target } from '../../translate/adapters.ts';
import {
  type AnswerEvent,
  type Block,
  blockedBecause,
  type EventReader,
  type StopReason,
  vendorRefusal,
  type WholeEvents,
} from '../../translate/answer-events.ts';
import { createSequencer } from '../../translate/one-block-at-a-time.ts';
import { madeId } from '../../translate/tools/call-ids.ts';
import { contentMember, isBroken, isError, isErrorEvent, isNoise } from '../read-chunk.ts';
import { betterUsage, readUsage } from '../usage.ts';
import { type CallSlot, createCallSlots } from './call-slots.ts';
import { type CallDelta, type DeltaPart, readDelta, type Words } from './read-delta.ts';
import { createDetails } from './reasoning-details.ts';

const DONE = '[DONE]';
const BROKEN: AnswerEvent[] = [{ type: 'broken' }];

export function createEventReader(target: Target): EventReader {
  const read = createAnswerReader(target, { isStream: true });
  const shapes = new ShapeMemory(hasOnlyText);
  let usage: UsageReport = 'absent';
  let repeat: Repeat | undefined;

  function readValue(value: JsonObject, data: string): AnswerEvent[] {
    const { choice, parts, reported } = readChunk(value, data);
    if (reported) usage = betterUsage(usage, readUsage(reported, value.service_tier));
    if (!choice) return [];
    if (isBroken(choice)) return BROKEN;
    if (!reported && !isFinish(choice.finish_reason)) learn(data, parts);
    return read(parts, choice);
  }

  function learn(data: string, parts: readonly DeltaPart[]): void {
    const [part] = parts;
    if (part && isWords(part) && parts.length === 1) shapes.learn(data, part.text, part.kind);
  }

  return {
    read(sent) {
      const { data = '' } = sent;
      repeat = undefined;
      if (isErrorEvent(sent)) return BROKEN;
      repeat = shapes.match(data);
      if (repeat) return read([wordsOf(repeat)]);
      if (data === DONE) return [{ type: 'done' }];
      if (isNoise(data)) return [];
      const value = tryParseJson(data);
      if (!isObject(value) || isError(value)) return BROKEN;
      return readValue(value, data);
    },
    // A choice without a finish continues in another run; one with a finish was delivered already.
    end: () => [],
    repeat: () => repeat,
    countRepeat: () => shapes.countMatch(),
    facts: () => ({ usage }),
  };
}

/** The first choice of a chunk, if it has it, and what it says. */
function readChunk(value: JsonObject, data: string) {
  const usage = value.usage ?? (isObject(value.x_groq) ? value.x_groq.usage : undefined);
  const reported = isObject(usage) ? usage : undefined;
  const at = indexOfFirst(value);
  const choice = Array.isArray(value.choices) ? value.choices[at] : undefined;
  if (!isObject(choice)) return { choice: undefined, parts: [], reported };
  const name = contentMember(choice);
  const said = choice[name];
  const raw = openRaw(data);
  const parts = isObject(said) ? readDelta(said, () => raw.at('choices')?.at(at)?.at(name)) : [];
  return { choice, parts, reported };
}

function isWords(part: DeltaPart): part is Words {
  return part.kind === 'text' || part.kind === 'reasoning' || part.kind === 'refusal';
}

function wordsOf({ shape: { slot }, text }: Repeat): Words {
  return { kind: slot === 'reasoning' || slot === 'refusal' ? slot : 'text', text };
}

function hasOnlyText(data: string, text: string, slot: string): boolean {
  const value = tryParseJson(data);
  const [part, ...more] = isObject(value) ? readChunk(value, data).parts : [];
  return part !== undefined && isWords(part) && part.kind === slot && part.text === text && more.length === 0;
}

export function readWhole({ text, value }: JsonDocument, target: Target): WholeEvents | undefined {
  const at = indexOfFirst(value);
  const choice = Array.isArray(value.choices) ? value.choices[at] : undefined;
  if (isError(value) || !isObject(choice) || !isObject(choice.message)) return undefined;
  if (!isFinish(choice.finish_reason) || isBroken(choice)) return undefined;
  const raw = openRaw(text);
  const parts = readDelta(choice.message, () => raw.at('choices')?.at(at)?.at('message'));
  const events = createAnswerReader(target, { isStream: false })(parts, choice);
  const lost = hasSources(value) && !events.some(({ type }) => type === 'cite') ? ['citations'] : [];
  return { events, usage: readUsage(value.usage, value.service_tier), lost };
}

/** Sources of the answer that are not linked to parts of its text, as some vendors list them. */
function hasSources({ citations, search_results: found }: JsonObject): boolean {
  return [citations, found].some((list) => Array.isArray(list) && list.length > 0);
}

/** The index of the first choice: in other formats there is only one. */
function indexOfFirst({ choices }: JsonObject): number {
  return Array.isArray(choices) ? choices.findIndex((choice) => isObject(choice) && (choice.index ?? 0) === 0) : -1;
}

function createAnswerReader({ quirks, requestId, knowsTool }: Target, options: { isStream: boolean }) {
  const sequencer = createSequencer();
  const slots = createCallSlots(options.isStream ? knowsTool : undefined);
  const named = new Set<CallSlot>();
  /** Calls whose name may be incomplete, with the signature of their first delta. */
  const begun = new Map<CallSlot, string | undefined>();
  const details = createDetails(options);
  let open: Block['kind'] | undefined;
  let isOver = false;

  /** The signature of thoughts, which may have no text. Not while a call is open. */
  function sign(): AnswerEvent[] {
    const signature = open === 'tool' ? undefined : details.take();
    if (signature === undefined) return [];
    const begun = sequencer.add('reasoning', () => ({ kind: 'reasoning' }), '');
    return [...begun, ...sequencer.sign('reasoning', signature)];
  }

  /** A call opens when it has a name. In a whole answer its position is its index. */
  function readCall(part: CallDelta, position: number): AnswerEvent[] {
    const slot = slots.take(options.isStream ? part : { ...part, index: position }, position);
    if (!slot) return part.arguments === '' ? [] : BROKEN;
    if (slots.isNameIncomplete(slot)) begun.set(slot, part.signature ?? begun.get(slot));
    if (slot.name === undefined || slots.isNameIncomplete(slot)) return [];
    const events = addCall(slot, part.arguments, part.signature ?? begun.get(slot));
    begun.delete(slot);
    return events;
  }

  function addCall(slot: CallSlot, more: string, signature: string | undefined): AnswerEvent[] {
    const text = named.has(slot) ? more : slot.arguments;
    named.add(slot);
    const id = slot.id ?? madeId(requestId, slot.ordinal);
    const block: Block = { kind: 'tool', id, name: slot.name ?? '', signature };
    return [...sign(), ...sequencer.add(`call/${slot.ordinal}`, () => block, text)];
  }

  function addText({ kind, text }: Words, isMedia = false): AnswerEvent[] {
    const signed = kind === 'reasoning' || kind === open ? [] : sign();
    return [...signed, ...sequencer.add(kind, () => ({ kind }), text, isMedia)];
  }

  function readPart(part: DeltaPart): AnswerEvent[] {
    switch (part.kind) {
      case 'call':
        return readCall(part.call, part.position);
      case 'citation':
        return open === 'text' ? [{ type: 'cite', citation: part.citation }] : [];
      case 'details':
        if (quirks.takesDetails) details.add(part.list);
        return [];
      case 'picture':
        return addText({ kind: 'text', text: part.text }, true);
      default:
        return addText(part);
    }
  }

  /** `choice`: the choice that the parts are of. */
  return (parts: readonly DeltaPart[], choice: JsonObject = {}): AnswerEvent[] => {
    if (isOver) return [];
    const events: AnswerEvent[] = [];
    slots.next(parts.flatMap((part) => (part.kind === 'call' ? [part.call] : [])));
    for (const part of parts) {
      const read = readPart(part);
      for (const event of read) if (event.type === 'open') open = event.block.kind;
      events.push(...read);
      isOver = read === BROKEN;
      if (isOver) return events;
    }
    const { finish_reason: finish } = choice;
    isOver = isFinish(finish);
    if (!isFinish(finish)) return events;
    if (slots.isMixed(stopOf(finish, false) === 'length')) return [...events, ...BROKEN];
    for (const [slot, signature] of begun) events.push(...addCall(slot, '', signature));
    if (open !== 'reasoning') events.push(...sequencer.flush());
    open = undefined;
    const reason = stopOf(finish, named.size > 0);
    const refusal = reason === 'filter' ? vendorRefusal(filterWords(choice)) : [];
    return [...events, ...sign(), ...sequencer.flush(), ...refusal, { type: 'stop', reason }];
  };
}

const STOPS: ReadonlyMap<string, StopReason> = new Map<string, StopReason>([
  ['length', 'length'],
  ['max_tokens', 'length'],
  ['model_length', 'length'],
  ['content_filter', 'filter'],
  ['safety', 'filter'],
]);

/** The content decides, not the finish reason: a client expects calls only if there are any. */
function stopOf(finish: string, hasCalls: boolean): StopReason {
  return STOPS.get(finish.toLowerCase()) ?? (hasCalls ? 'tool' : 'end');
}

/** Findings of a content filter that stopped an answer, as Azure reports them in the choice; undefined if there are none. */
function filterWords({ content_filter_results: results }: JsonObject): string | undefined {
  if (!isObject(results)) return undefined;
  const found = Object.entries(results).flatMap(([name, result]) => {
    if (!isObject(result) || result.filtered !== true) return [];
    return typeof result.severity === 'string' ? [`${name} (${result.severity})`] : [name];
  });
  return found.length === 0 ? undefined : blockedBecause('answer', found.join(', '));
}
