// The blocks of an Anthropic answer, whole or bit by bit.

import { isObject, type Json, type JsonObject } from '../../../kit/json/json.ts';
import type { AnswerEvent, Block } from '../../translate/answer-events.ts';
import { createGivenIds } from '../../translate/tools/given-ids.ts';

export interface BlockReader {
  /** `rawInput` is the JSON text of a call's input, where the block has it already. */
  start(index: Json | undefined, block: JsonObject, rawInput: () => string | undefined): AnswerEvent[];
  delta(index: Json | undefined, delta: JsonObject): AnswerEvent[];
  stop(): AnswerEvent[];
  /** What the client was told. */
  shown(): { hasCalls: boolean; hasText: boolean };
  /** What was not shown though it is the model's own: blocks by their types, `citations` of what has no address. */
  lost(): readonly string[];
}

interface OpenBlock {
  index: Json | undefined;
  /** Undefined: nothing of it is shown. */
  kind: Block['kind'] | undefined;
  signature: string;
  /** Arguments that came with the block: a beginning that deltas replace, or all there is. */
  input: string;
  hasDeltas: boolean;
  /** Where its text begins in the text of the answer. */
  from: number;
  sources: { url: string; title: string }[];
}

const NO_INPUT = '{}';

export function createBlockReader(requestId: string): BlockReader {
  const giveId = createGivenIds(requestId);
  let open: OpenBlock | undefined;
  let textLength = 0;
  let hasCalls = false;
  const lost = new Set<string>();

  function begin(index: Json | undefined, block: Block | undefined): AnswerEvent[] {
    const before = stop();
    open = { index, kind: block?.kind, signature: '', input: '', hasDeltas: false, from: textLength, sources: [] };
    hasCalls ||= block?.kind === 'tool';
    return block ? [...before, { type: 'open', block }] : before;
  }

  /** Words of a kind that is not the block's own get a block of theirs: clients would lose them. */
  function words(kind: 'text' | 'reasoning', text: Json | undefined): AnswerEvent[] {
    if (typeof text !== 'string' || text === '') return [];
    const opened = open?.kind === kind ? [] : begin(open?.index, { kind });
    if (kind === 'text') textLength += text.length;
    return [...opened, { type: 'delta', text }];
  }

  function stop(): AnswerEvent[] {
    if (!open) return [];
    const { kind, signature, input, hasDeltas, from, sources } = open;
    open = undefined;
    if (kind === undefined) return [];
    const events: AnswerEvent[] = [];
    if (kind === 'tool' && !hasDeltas) events.push({ type: 'delta', text: input || NO_INPUT });
    if (signature !== '') events.push({ type: 'sign', signature });
    for (const source of sources) events.push({ type: 'cite', citation: { ...source, start: from, end: textLength } });
    return [...events, { type: 'close' }];
  }

  function sign(signature: Json | undefined): AnswerEvent[] {
    if (open && typeof signature === 'string') open.signature += signature;
    return [];
  }

  function cite(citation: Json | undefined): AnswerEvent[] {
    const source = readSource(citation);
    if (open && source) open.sources.push(source);
    if (!source) lost.add('citations');
    return [];
  }

  function callInput(bit: Json | undefined): AnswerEvent[] {
    if (open?.kind !== 'tool' || typeof bit !== 'string' || bit === '') return [];
    open.hasDeltas = true;
    return [{ type: 'delta', text: bit }];
  }

  return {
    start(index, block, rawInput) {
      const kind = readKind(block, giveId);
      if (!kind && !isVendors(block)) lost.add(typeof block.type === 'string' ? block.type : 'content');
      const begun = begin(index, kind);
      if (block.type === 'text') begun.push(...words('text', block.text));
      if (block.type === 'thinking') begun.push(...words('reasoning', block.thinking), ...sign(block.signature));
      if (block.type === 'text' && Array.isArray(block.citations)) block.citations.forEach(cite);
      if (open?.kind === 'tool') open.input = rawInput() ?? '';
      return begun;
    },
    delta(index, delta) {
      if (!open || open.index !== index) return [{ type: 'broken' }];
      // A block that is not shown may speak as it likes.
      if (open.kind === undefined) return [];
      switch (delta.type) {
        case 'text_delta':
          return words('text', delta.text);
        case 'thinking_delta':
          return words('reasoning', delta.thinking);
        case 'signature_delta':
          return sign(delta.signature);
        case 'input_json_delta':
          return callInput(delta.partial_json);
        case 'citations_delta':
          return cite(delta.citation);
        default:
          return [];
      }
    },
    stop,
    shown: () => ({ hasCalls, hasText: textLength > 0 }),
    lost: () => [...lost],
  };
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
