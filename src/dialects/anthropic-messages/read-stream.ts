// Reads a message stream event by event: the kind of each event, its content, and the facts that the bill needs. Text is never
// kept.

import { isObject, type JsonDocument, tryReadAnswerJson } from '../../kit/json/json.ts';
import { weighTokens } from '../../kit/tokens.ts';
import { checkReport } from '../counts.ts';
import {
  type AnswerFacts,
  addOutput,
  NO_OUTPUT,
  type Segment,
  type StreamEvent,
  type StreamFacts,
  type StreamReader,
} from '../dialect.ts';
import { BROKEN } from '../stream/bare-events.ts';
import { isFinish } from '../stream/is-finish.ts';
import { type Repeat, RepeatedEvent, ShapeMemory } from '../stream/shape.ts';
import { isEventName, type SseEvent } from '../stream/sse.ts';
import { blockSegments, deltaSegments, isReasoning, outputOf, outputOfBlock, readFinish } from './read-answer.ts';
import { UsageTracker } from './usage.ts';

const DELTA = 'content_block_delta';

export function createStreamReader(): StreamReader {
  return new MessageReader();
}

class MessageReader implements StreamReader {
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

  end(): StreamEvent[] {
    return [];
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
        return { kind: 'other', name, document, segments: [] };
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
      default:
        return { kind: 'other', name, document, segments: [] };
    }
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
