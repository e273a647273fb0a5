// Reads a whole message: whether it is complete, its usage and its output.

import { isObject, type Json, type JsonDocument, type JsonObject } from '../../kit/json/json.ts';
import { checkReport, hasCounted, outputOfSegments, weighSegments } from '../counts.ts';
import { type AnswerFacts, addOutput, type Finish, NO_OUTPUT, type Output, type Segment } from '../dialect.ts';
import { typicalTokens } from '../input/tool-use.ts';
import { isFinish } from '../stream/is-finish.ts';
import { oneCall } from '../tool-calls.ts';
import { isThinking } from './remove-thinking.ts';
import { readUsage } from './usage.ts';

export function readAnswer({ value }: JsonDocument): AnswerFacts | undefined {
  const content = blocksOfMessage(value);
  if (!content) return undefined;
  const usage = readUsage(value.usage);
  const isCounted = hasCounted(usage);
  let output: Output = NO_OUTPUT;
  for (const [index, block] of content.entries()) {
    const segments = blockSegments(block, index);
    output = addOutput(output, outputOfBlock(block, segments, isCounted ? 0 : undefined));
  }
  return { usage: checkReport(usage, output), output, finish: readFinish(String(value.stop_reason)) };
}

/** Undefined if it is no message, or not a complete one. */
export function blocksOfMessage({ type, content, stop_reason: reason }: JsonObject): readonly JsonObject[] | undefined {
  if (type !== 'message' || !Array.isArray(content) || !isFinish(reason)) return undefined;
  return content.every(isObject) ? content : undefined;
}

const FINISHES: Readonly<Record<string, Finish>> = {
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  stop_sequence: 'stop_sequence',
  end_turn: 'end',
};

export function readFinish(stopReason: string): Finish {
  return FINISHES[stopReason] ?? 'other';
}

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

/** The output in a block with these segments; a block of hidden thoughts counts, too. */
export function outputOfBlock(block: JsonObject, found: readonly Segment[], tokens?: number): Output {
  const output = outputOf(found, tokens);
  return { ...output, hasReasoning: output.hasReasoning || isThinking(block), ...vendorCall(block) };
}

/** A call that the upstream itself runs. */
function vendorCall({ type, name }: JsonObject): Pick<Output, 'toolInput' | 'toolCalls'> {
  if (type === 'server_tool_use') return { toolInput: typicalTokens(String(name)), toolCalls: oneCall(String(name)) };
  return type === 'mcp_tool_use' ? { toolInput: typicalTokens(type), toolCalls: oneCall('mcp') } : { toolInput: 0 };
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
