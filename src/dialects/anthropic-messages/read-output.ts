// The content of a block or of a delta, each bit in its slot.

import { isObject, type Json, type JsonObject } from '../../kit/json/json.ts';
import { outputOfPieces, weighPieces } from '../counts.ts';
import type { Output, Piece } from '../dialect.ts';
import { typicalTokens } from '../input/tool-use.ts';

/** What a block holds when it is whole, or already when it starts. */
export function blockPieces(block: JsonObject, index: number): Piece[] {
  switch (block.type) {
    case 'text':
      return pieces(index, 'text', block.text);
    case 'thinking':
      return pieces(index, 'thinking', block.thinking);
    case 'redacted_thinking':
      return pieces(index, 'thinking', block.data);
    default:
      if (typeof block.name !== 'string') return pieces(index, 'block', String(block.type));
      return [...pieces(index, 'name', block.name), ...pieces(index, 'input', inputText(block.input))];
  }
}

/** Where thoughts are not shown, their block is there all the same. */
export function isThinking({ type }: JsonObject): boolean {
  return type === 'thinking' || type === 'redacted_thinking';
}

/** Of a call that the upstream itself runs. */
export function toolInputOf({ type, name }: JsonObject): number {
  const isVendors = type === 'server_tool_use' || type === 'mcp_tool_use';
  return isVendors ? typicalTokens(type === 'server_tool_use' ? String(name) : type) : 0;
}

export function deltaPieces(delta: JsonObject, index: number): Piece[] {
  switch (delta.type) {
    case 'text_delta':
      return pieces(index, 'text', delta.text);
    case 'thinking_delta':
      return pieces(index, 'thinking', delta.thinking);
    case 'input_json_delta':
      return pieces(index, 'input', delta.partial_json);
    default:
      return [];
  }
}

export function outputOf(given: readonly Piece[], tokens: number = weighPieces(given)): Output {
  return outputOfPieces(given, isReasoning, tokens);
}

export function isReasoning({ slot }: Pick<Piece, 'slot'>): boolean {
  return slot.endsWith('/thinking');
}

/** All blocks are one answer: what comes later in it comes after everything before. */
function pieces(index: number, name: string, text: Json | undefined): Piece[] {
  return typeof text === 'string' && text !== '' ? [{ slot: `0/${index}/${name}`, text }] : [];
}

/** A block that starts has an empty input; the real one comes in deltas. */
function inputText(input: Json | undefined): string {
  return isObject(input) && Object.keys(input).length > 0 ? JSON.stringify(input) : '';
}
