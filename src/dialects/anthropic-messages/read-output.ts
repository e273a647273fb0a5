// The content of a block or of a delta, each segment in its slot.

import { isObject, type Json, type JsonObject } from '../../kit/json/json.ts';
import type { ToolCalls } from '../../kit/prices.ts';
import { outputOfSegments, weighSegments } from '../counts.ts';
import type { Output, Segment } from '../dialect.ts';
import { typicalTokens } from '../input/tool-use.ts';
import { oneCall } from '../tool-calls.ts';

/** The content of a complete block, or of its start. */
export function blockSegments(block: JsonObject, index: number): Segment[] {
  switch (block.type) {
    case 'text':
      return segments(index, 'text', block.text);
    case 'thinking':
      return segments(index, 'thinking', block.thinking);
    case 'redacted_thinking':
      return segments(index, 'thinking', block.data);
    default:
      if (typeof block.name !== 'string') return segments(index, 'block', String(block.type));
      return [...segments(index, 'name', block.name), ...segments(index, 'input', inputText(block.input))];
  }
}

/** A block of hidden thoughts counts, too. */
export function isThinking({ type }: JsonObject): boolean {
  return type === 'thinking' || type === 'redacted_thinking';
}

/** Type of a call that the upstream itself runs. */
export function toolInputOf({ type, name }: JsonObject): number {
  const isVendors = type === 'server_tool_use' || type === 'mcp_tool_use';
  return isVendors ? typicalTokens(type === 'server_tool_use' ? String(name) : type) : 0;
}

/** The same call, by its name in prices. */
export function callOf({ type, name }: JsonObject): ToolCalls | undefined {
  if (type === 'server_tool_use') return oneCall(String(name));
  return type === 'mcp_tool_use' ? oneCall('mcp') : undefined;
}

export function deltaSegments(delta: JsonObject, index: number): Segment[] {
  switch (delta.type) {
    case 'text_delta':
      return segments(index, 'text', delta.text);
    case 'thinking_delta':
      return segments(index, 'thinking', delta.thinking);
    case 'input_json_delta':
      return segments(index, 'input', delta.partial_json);
    default:
      return [];
  }
}

export function outputOf(given: readonly Segment[], tokens: number = weighSegments(given)): Output {
  return outputOfSegments(given, isReasoning, tokens);
}

export function isReasoning({ slot }: Pick<Segment, 'slot'>): boolean {
  return slot.endsWith('/thinking');
}

/** All blocks belong to one answer, in order. */
function segments(index: number, name: string, text: Json | undefined): Segment[] {
  return typeof text === 'string' && text !== '' ? [{ slot: `0/${index}/${name}`, text }] : [];
}

/** A block that starts has an empty input; the real one comes in deltas. */
function inputText(input: Json | undefined): string {
  return isObject(input) && Object.keys(input).length > 0 ? JSON.stringify(input) : '';
}
