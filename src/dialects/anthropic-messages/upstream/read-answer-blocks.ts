// The blocks of an Anthropic answer, whole or bit by bit. Each is known by its index, so that the bits of several may take
// turns. One whose end is missing holds back those after it only for a few events.

import { isObject, type Json, type JsonObject, tryParseJson } from '../../../kit/json/json.ts';
import type { AnswerEvent, Block } from '../../translate/answer-events.ts';
import { createGivenIds } from '../../translate/tools/given-ids.ts';
import { createBlockQueue, newQueued, type QueuedBlock } from './block-queue.ts';

export interface BlockReader {
  /** `rawInput` is the JSON text of a call's input, where the block has it already. */
  start(index: Json | undefined, block: JsonObject, rawInput: () => string | undefined): AnswerEvent[];
  delta(index: Json | undefined, delta: JsonObject): AnswerEvent[];
  stop(index: Json | undefined): AnswerEvent[];
  stopAll(): AnswerEvent[];
  /** What the client was told. */
  shown(): { hasCalls: boolean; hasText: boolean };
  /** What was not shown though it is the model's own: blocks by their types, `citations` of what has no address. */
  lost(): readonly string[];
}

interface OpenBlock extends QueuedBlock {
  /** Undefined: nothing of it is shown. */
  kind: Block['kind'] | undefined;
  signature: string;
  /** Arguments that came with the block: a beginning that deltas replace, or all there is. */
  input: string;
  hasDeltas: boolean;
  /** Arguments that came in deltas. */
  said: string;
  /** Events of other blocks since its own last one, while it holds these back. */
  othersSince: number;
  textLength: number;
  sources: { url: string; title: string }[];
}

const NO_INPUT = '{}';
/** Events of other blocks after which the end of one that holds them back is taken to be missing. */
const MOST_OTHERS = 4;

export function createBlockReader(requestId: string): BlockReader {
  const giveId = createGivenIds(requestId);
  const queue = createBlockQueue();
  const open = new Map<Json | undefined, OpenBlock>();
  let hasText = false;
  let hasCalls = false;
  const lost = new Set<string>();
  /** Indexes of blocks that were closed because their end seemed to be missing. */
  const closedEarly = new Set<Json | undefined>();

  function begin(index: Json | undefined, block: Block | undefined): AnswerEvent[] {
    const before = stop(index);
    const begun = { ...newQueued(), ...newBlock(block?.kind) };
    open.set(index, begun);
    if (!block) return before;
    hasCalls ||= block.kind === 'tool';
    queue.begin(begun);
    return [...before, ...queue.add(begun, [{ type: 'open', block }])];
  }

  /** Words of a kind that is not the block's own get a block of theirs: clients would lose them. */
  function words(index: Json | undefined, kind: 'text' | 'reasoning', text: Json | undefined): AnswerEvent[] {
    if (typeof text !== 'string' || text === '') return [];
    const opened = open.get(index)?.kind === kind ? [] : begin(index, { kind });
    const block = open.get(index);
    if (!block) return opened;
    if (kind === 'text') block.textLength += text.length;
    hasText ||= kind === 'text';
    return [...opened, ...queue.add(block, [{ type: 'delta', text }])];
  }

  function stop(index: Json | undefined): AnswerEvent[] {
    const block = open.get(index);
    open.delete(index);
    if (block?.kind === undefined) return [];
    const { kind, signature, input, hasDeltas, textLength, sources } = block;
    const events: AnswerEvent[] = [];
    if (kind === 'tool' && !hasDeltas) events.push({ type: 'delta', text: input || NO_INPUT });
    if (signature !== '') events.push({ type: 'sign', signature });
    for (const source of sources) events.push({ type: 'cite', citation: { ...source, start: 0, end: textLength } });
    return [...queue.add(block, [...events, { type: 'close' }]), ...queue.end(block)];
  }

  /** Closes the block that holds others back, if these go on without it. */
  function closeSilent(index: Json | undefined): AnswerEvent[] {
    const first = firstShown(open);
    if (!first) return [];
    const [firstIndex, block] = first;
    if (firstIndex === index) block.othersSince = 0;
    else if (++block.othersSince === MOST_OTHERS && mayBeOver(block)) {
      closedEarly.add(firstIndex);
      return stop(firstIndex);
    }
    return [];
  }

  function cite(block: OpenBlock, citation: Json | undefined): void {
    const source = readSource(citation);
    if (source) block.sources.push(source);
    else lost.add('citations');
  }

  function callInput(block: OpenBlock, bit: Json | undefined): AnswerEvent[] {
    if (block.kind !== 'tool' || typeof bit !== 'string' || bit === '') return [];
    block.hasDeltas = true;
    block.said += bit;
    return queue.add(block, [{ type: 'delta', text: bit }]);
  }

  function readDelta(index: Json | undefined, delta: JsonObject): AnswerEvent[] {
    const block = open.get(index);
    if (!block && !closedEarly.has(index)) return [{ type: 'broken' }];
    // A block that is not shown may speak as it likes.
    if (block && block.kind === undefined) return [];
    // Words after an early close get a block of their own.
    if (delta.type === 'text_delta') return words(index, 'text', delta.text);
    if (delta.type === 'thinking_delta') return words(index, 'reasoning', delta.thinking);
    if (!block) return [];
    if (delta.type === 'input_json_delta') return callInput(block, delta.partial_json);
    if (delta.type === 'signature_delta') sign(block, delta.signature);
    if (delta.type === 'citations_delta') cite(block, delta.citation);
    return [];
  }

  return {
    start(index, block, rawInput) {
      const kind = readKind(block, giveId);
      if (!kind && !isVendors(block)) lost.add(typeof block.type === 'string' ? block.type : 'content');
      closedEarly.delete(index);
      const begun = [...closeSilent(index), ...begin(index, kind)];
      const { type, text, thinking, citations } = block;
      if (type === 'text') begun.push(...words(index, 'text', text));
      if (type === 'thinking') begun.push(...words(index, 'reasoning', thinking));
      const opened = open.get(index);
      if (!opened) return begun;
      if (type === 'thinking') sign(opened, block.signature);
      if (type === 'text' && Array.isArray(citations)) for (const one of citations) cite(opened, one);
      if (opened.kind === 'tool') opened.input = rawInput() ?? '';
      return begun;
    },
    delta(index, delta) {
      return [...closeSilent(index), ...readDelta(index, delta)];
    },
    stop(index) {
      closedEarly.delete(index);
      return [...closeSilent(index), ...stop(index)];
    },
    stopAll: () => [...open.keys()].flatMap(stop),
    shown: () => ({ hasCalls, hasText }),
    lost: () => [...lost],
  };
}

function newBlock(kind: Block['kind'] | undefined): Omit<OpenBlock, keyof QueuedBlock> {
  return { kind, signature: '', input: '', hasDeltas: false, said: '', othersSince: 0, textLength: 0, sources: [] };
}

/** Blocks are open in the order in which they began. */
function firstShown(open: ReadonlyMap<Json | undefined, OpenBlock>): [Json | undefined, OpenBlock] | undefined {
  for (const entry of open) if (entry[1].kind !== undefined) return entry;
  return undefined;
}

/** Words can go on in another block, arguments cannot. */
function mayBeOver({ kind, said }: OpenBlock): boolean {
  return kind !== 'tool' || isObject(tryParseJson(said));
}

function sign(block: OpenBlock, signature: Json | undefined): void {
  if (typeof signature === 'string') block.signature += signature;
}

/** Undefined for what the vendor did itself, and for what nobody knows yet. */
function readKind(block: JsonObject, giveId: (told: Json | undefined) => string): Block | undefined {
  switch (block.type) {
    case 'text':
      return { kind: 'text' };
    case 'thinking':
      return { kind: 'reasoning' };
    case 'redacted_thinking':
      return { kind: 'redacted', data: String(block.data) };
    case 'tool_use':
      return { kind: 'tool', id: giveId(block.id), name: String(block.name) };
    default:
      return undefined;
  }
}

/** A tool that the vendor ran, and what it found. */
function isVendors({ type }: JsonObject): boolean {
  return type === 'server_tool_use' || String(type).endsWith('_tool_result');
}

/** A place on the web; places in the client's own documents have no address. */
function readSource(citation: Json | undefined): { url: string; title: string } | undefined {
  if (!isObject(citation) || typeof citation.url !== 'string') return undefined;
  return { url: citation.url, title: typeof citation.title === 'string' ? citation.title : '' };
}
