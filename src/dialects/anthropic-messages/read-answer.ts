// Reads an answer, whole or as a stream: whether it is complete, its usage and its output.

import { isObject, type Json, type JsonDocument, type JsonObject, tryReadAnswerJson } from '../../kit/json/json.ts';
import { weighTokens } from '../../kit/tokens.ts';
import { checkReport, hasCounted, oneCall, outputOfSegments, weighSegments } from '../counts.ts';
import {
  type AnswerFacts,
  addOutput,
  type Finish,
  NO_OUTPUT,
  type Output,
  type Segment,
  type StreamEvent,
  type StreamFacts,
  type StreamReader,
} from '../dialect.ts';
import { typicalTokens } from '../input/tool-use.ts';
import { BROKEN } from '../stream/bare-events.ts';
import { isFinish } from '../stream/is-finish.ts';
import { type Repeat, RepeatedEvent, ShapeMemory } from '../stream/shape.ts';
import { isEventName, type SseEvent } from '../stream/sse.ts';
import { isThinking } from './remove-thinking.ts';
import { readUsage, UsageTracker } from './usage.ts';

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

function readFinish(stopReason: string): Finish {
  return FINISHES[stopReason] ?? 'other';
}

/** The content of a complete block, or of its start. */
function blockSegments(block: JsonObject, index: number): Segment[] {
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
function outputOfBlock(block: JsonObject, found: readonly Segment[], tokens?: number): Output {
  const output = outputOf(found, tokens);
  return { ...output, hasReasoning: output.hasReasoning || isThinking(block), ...vendorCall(block) };
}

/** A call that the upstream itself runs. */
function vendorCall({ type, name }: JsonObject): Pick<Output, 'toolInput' | 'toolCalls'> {
  if (type === 'server_tool_use') return { toolInput: typicalTokens(String(name)), toolCalls: oneCall(String(name)) };
  return type === 'mcp_tool_use' ? { toolInput: typicalTokens(type), toolCalls: oneCall('mcp') } : { toolInput: 0 };
}

function deltaSegments(delta: JsonObject, index: number): Segment[] {
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

function outputOf(given: readonly Segment[], tokens: number = weighSegments(given)): Output {
  return outputOfSegments(given, isReasoning, tokens);
}

function isReasoning({ slot }: Pick<Segment, 'slot'>): boolean {
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

const DELTA = 'content_block_delta';

/** Reads event by event: the kind of each, its content, and the facts that the bill needs. Text is never kept. */
export class MessageReader implements StreamReader {
  readonly #facts: Omit<AnswerFacts, 'usage'> = { output: NO_OUTPUT, finish: 'other' };
  readonly #usage = new UsageTracker();
  readonly #shapes = new ShapeMemory(hasOnlyText);
  #isFinished = false;
  /** The last repeated event was of reasoning. */
  #repeatsReasoning = false;

  read({ data = '' }: SseEvent): StreamEvent[] {
    const repeat = this.#shapes.match(data);
    if (repeat) return [this.#readRepeat(data, repeat)];
    const document = tryReadAnswerJson(data);
    if (typeof document?.value.type !== 'string') return [BROKEN];
    if (!isEventName(document.value.type)) return [];
    const event = this.#readEvent(document);
    if (!event) return [];
    this.#learn(event);
    return [event];
  }

  countRepeat(tokens: number): void {
    this.#shapes.countMatch();
    this.#addRepeated(tokens);
  }

  facts(): StreamFacts {
    const finished = this.#isFinished;
    const output = { ...this.#facts.output };
    const usage = checkReport(this.#usage.report(finished), output, finished);
    return { ...this.#facts, output, usage, finished };
  }

  isFinished(): boolean {
    return this.#isFinished;
  }

  /** Undefined if the client gets no event for it. */
  #readEvent(document: JsonDocument): StreamEvent | undefined {
    const { type, message, content_block: block, delta } = document.value;
    const name = String(type);
    const index = typeof document.value.index === 'number' ? document.value.index : 0;
    const facts = this.#facts;
    switch (type) {
      case 'message_start':
        this.#usage.start(isObject(message) ? message.usage : undefined);
        break;
      case 'content_block_start': {
        if (!isObject(block)) return this.#readContent(name, document, []);
        const segments = blockSegments(block, index);
        return this.#readContent(name, document, segments, outputOfBlock(block, segments));
      }
      case DELTA:
        return this.#readContent(name, document, isObject(delta) ? deltaSegments(delta, index) : []);
      case 'message_delta':
        this.#usage.update(document.value.usage);
        if (isObject(delta) && isFinish(delta.stop_reason)) {
          this.#isFinished = true;
          facts.finish = readFinish(delta.stop_reason);
        }
        // Before the end it only counts.
        return this.#isFinished ? { kind: 'held', name, document, segments: [] } : undefined;
      case 'message_stop':
        return { kind: 'done', name, document, segments: [] };
      case 'error':
        return BROKEN;
    }
    return { kind: 'other', name, document, segments: [] };
  }

  #readContent(
    name: string,
    document: JsonDocument,
    segments: readonly Segment[],
    output = outputOf(segments),
  ): StreamEvent {
    this.#facts.output = addOutput(this.#facts.output, output);
    return { kind: segments.length > 0 ? 'output' : 'other', name, document, segments };
  }

  #readRepeat(data: string, repeat: Repeat): StreamEvent {
    this.#repeatsReasoning = isReasoning(repeat.shape);
    this.#addRepeated(weighTokens(repeat.text));
    return new RepeatedEvent(DELTA, data, repeat);
  }

  #addRepeated(tokens: number): void {
    const { output } = this.#facts;
    output.tokens += tokens;
    if (this.#repeatsReasoning) output.reasoningTokens += tokens;
  }

  #learn({ kind, name, document, segments }: StreamEvent): void {
    const [segment] = segments;
    if (name !== DELTA || kind !== 'output' || !document || !segment) return;
    this.#shapes.learn(document.text, segment.text, segment.slot);
  }
}

function hasOnlyText(data: string, text: string, slot: string): boolean {
  const { type, delta, index } = tryReadAnswerJson(data)?.value ?? {};
  const at = typeof index === 'number' ? index : 0;
  const [segment] = isObject(delta) && type === DELTA ? deltaSegments(delta, at) : [];
  return segment?.slot === slot && segment.text === text;
}
