// Reads the blocks of an Anthropic answer, whole or as deltas. Blocks are identified by their index, because deltas of
// several may be interleaved.

import { isObject, type Json, type JsonObject } from '../../../kit/json/json.ts';
import type { AnswerEvent, Block } from '../../translate/answer-events.ts';
import { createGivenIds } from '../../translate/tools/call-ids.ts';

interface QueuedBlock {
  waiting: AnswerEvent[];
  isOver: boolean;
}

interface OpenBlock extends QueuedBlock {
  /** Undefined: nothing of it is shown. */
  kind: Block['kind'] | undefined;
  signature: string;
  /** Arguments in the start of the block: all of them, or replaced by deltas. */
  input: string;
  hasDeltas: boolean;
  textLength: number;
  sources: { url: string; title: string }[];
}

const NO_INPUT = '{}';

export function createBlockReader(requestId: string) {
  const giveId = createGivenIds(requestId);
  const queue = createBlockQueue();
  const open = new Map<Json | undefined, OpenBlock>();
  let hasText = false;
  let hasCalls = false;
  const lost = new Set<string>();

  function begin(index: Json | undefined, block: Block | undefined): AnswerEvent[] {
    const before = stop(index);
    const nothing = { signature: '', input: '', hasDeltas: false, textLength: 0, sources: [] };
    const begun: OpenBlock = { waiting: [], isOver: false, kind: block?.kind, ...nothing };
    open.set(index, begun);
    if (!block) return before;
    hasCalls ||= block.kind === 'tool';
    queue.begin(begun);
    return [...before, ...queue.add(begun, [{ type: 'open', block }])];
  }

  /** Text of another kind than its block gets a separate block: clients would drop it otherwise. */
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

  function cite(block: OpenBlock, citation: Json | undefined): void {
    const source = readSource(citation);
    if (source) block.sources.push(source);
    else lost.add('citations');
  }

  function callInput(block: OpenBlock, text: Json | undefined): AnswerEvent[] {
    if (block.kind !== 'tool' || typeof text !== 'string' || text === '') return [];
    block.hasDeltas = true;
    return queue.add(block, [{ type: 'delta', text: text }]);
  }

  return {
    /** `rawInput` is the JSON text of a call's input, where the block has it already. */
    start(index: Json | undefined, block: JsonObject, rawInput: () => string | undefined): AnswerEvent[] {
      const kind = readKind(block, giveId);
      if (!kind && !isVendors(block)) lost.add(typeof block.type === 'string' ? block.type : 'content');
      const begun = begin(index, kind);
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
    delta(index: Json | undefined, delta: JsonObject): AnswerEvent[] {
      const block = open.get(index);
      if (!block) return [{ type: 'broken' }];
      // Deltas of a block that is not shown are ignored.
      if (block.kind === undefined) return [];
      switch (delta.type) {
        case 'text_delta':
          return words(index, 'text', delta.text);
        case 'thinking_delta':
          return words(index, 'reasoning', delta.thinking);
        case 'signature_delta':
          sign(block, delta.signature);
          return [];
        case 'input_json_delta':
          return callInput(block, delta.partial_json);
        case 'citations_delta':
          cite(block, delta.citation);
          return [];
        default:
          return [];
      }
    },
    stop,
    stopAll: () => [...open.keys()].flatMap(stop),
    /** The content that the client was sent. */
    shown: () => ({ hasCalls, hasText }),
    /** The model's content that was not shown: blocks by type, and `citations` without an address. */
    lost: () => [...lost],
  };
}

function sign(block: OpenBlock, signature: Json | undefined): void {
  if (typeof signature === 'string') block.signature += signature;
}

/** Undefined for calls of the vendor's own tools, and for unknown types. */
function readKind(block: JsonObject, giveId: (given: Json | undefined) => string): Block | undefined {
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

/** A tool that the vendor ran, and its results. */
function isVendors({ type }: JsonObject): boolean {
  return type === 'server_tool_use' || String(type).endsWith('_tool_result');
}

/** A place on the web; places in the client's own documents have no address. */
function readSource(citation: Json | undefined): { url: string; title: string } | undefined {
  if (!isObject(citation) || typeof citation.url !== 'string') return undefined;
  return { url: citation.url, title: typeof citation.title === 'string' ? citation.title : '' };
}

/**
 * Puts interleaved blocks of a stream in the order in which they began. Events of the first open block pass at once; those of
 * later blocks wait until it ends. Offsets of citations are relative to their block.
 */
function createBlockQueue() {
  const queue: QueuedBlock[] = [];
  /** Length of all text that was passed on, and the offset at which the current block begins. */
  let textLength = 0;
  let start = 0;
  let isText = false;

  /** Converts offsets to the text of the whole answer, whose length is known only here. */
  function pass(event: AnswerEvent): AnswerEvent {
    if (event.type === 'open') {
      isText = event.block.kind === 'text';
      start = textLength;
    }
    if (event.type === 'delta' && isText) textLength += event.text.length;
    if (event.type !== 'cite') return event;
    const { citation } = event;
    return { type: 'cite', citation: { ...citation, start: start + citation.start, end: start + citation.end } };
  }

  return {
    begin: (block: QueuedBlock) => void queue.push(block),
    add(block: QueuedBlock, events: AnswerEvent[]): AnswerEvent[] {
      if (queue[0] === block) return events.map(pass);
      block.waiting.push(...events);
      return [];
    },
    end(block: QueuedBlock): AnswerEvent[] {
      block.isOver = true;
      const events: AnswerEvent[] = [];
      while (queue[0]?.isOver) {
        queue.shift();
        events.push(...(queue[0]?.waiting.splice(0) ?? []).map(pass));
      }
      return events;
    },
  };
}
