// Reads the stream of an Anthropic upstream as answer events. Interleaved blocks are put in order; content that only
// Anthropic clients understand, such as tools that the vendor runs, is left out. The messages of an answer that was paused
// and continued are read as one.

import {
  isObject,
  type JsonDocument,
  type JsonObject,
  tryParseJson,
  tryReadAnswerJson,
} from '../../../kit/json/json.ts';
import { openRaw, RawJson, writeJson } from '../../../kit/json/raw-json.ts';
import { isZero } from '../../counts.ts';
import type { PausedTurn, UsageReport } from '../../dialect.ts';
import { isFinish } from '../../stream/is-finish.ts';
import { splitEvents } from '../../stream/other-form.ts';
import { SseTooLong } from '../../stream/sse.ts';
import type { Target, WholeTurn } from '../../translate/adapters.ts';
import {
  type AnswerEvent,
  type EventReader,
  type StopReason,
  vendorRefusal,
  type WholeEvents,
} from '../../translate/answer-events.ts';
import { JoinedMessage, type MessageBlock, writeAsStream } from '../other-form.ts';
import { blocksOfMessage } from '../read-answer.ts';
import { addTurn, readUsage, UsageTracker, type UsedTurns } from '../usage.ts';
import { createBlockReader } from './read-answer-blocks.ts';

const BROKEN: AnswerEvent[] = [{ type: 'broken' }];
/** Events that can begin a message: some upstreams leave out its start. */
const BEGINNINGS: ReadonlySet<unknown> = new Set(['message_start', 'content_block_start', 'message_delta']);

export function createEventReader({ requestId }: Pick<Target, 'requestId'>): EventReader {
  const blocks = createBlockReader(requestId);
  let usage = new UsageTracker();
  let joined = new JoinedMessage();
  /** Usage of the turns before this one. */
  let usedBefore: UsedTurns | undefined;
  /** Set if this turn was paused and can be continued; `isOver`: its own end mark has come. */
  let pause: { turn: PausedTurn; isOver: boolean } | undefined;
  let isStopped = false;

  function readEvent(event: JsonObject, data: string): AnswerEvent[] {
    const { type, index, message, content_block: block, delta } = event;
    if (pause?.isOver && BEGINNINGS.has(type)) beginTurn(pause.turn);
    switch (type) {
      case 'message_start':
        joined.read(event);
        usage.start(isObject(message) ? message.usage : undefined);
        return [];
      case 'content_block_start':
        if (!isObject(block)) return BROKEN;
        joined.read(event);
        return blocks.start(index, block, () => openRaw(data).at('content_block')?.at('input')?.text);
      case 'content_block_delta':
        if (!isObject(delta)) return BROKEN;
        joined.read(event);
        return blocks.delta(index, delta);
      case 'content_block_stop':
        return blocks.stop(index);
      case 'message_delta':
        usage.update(event.usage);
        return isObject(delta) && !isStopped ? stop(delta) : [];
      case 'message_stop':
        if (pause) pause.isOver = true;
        return [...blocks.stopAll(), ...(pause ? [] : [{ type: 'done' } as const])];
      case 'error':
        return BROKEN;
      default:
        return typeof type === 'string' ? [] : BROKEN;
    }
  }

  function beginTurn({ usage: used }: PausedTurn): void {
    const total = totalWith(used);
    usedBefore = { total: typeof total === 'object' ? total : used, last: used };
    usage = new UsageTracker();
    joined = new JoinedMessage();
    pause = undefined;
  }

  function totalWith(report: UsageReport): UsageReport {
    return usedBefore ? addTurn(usedBefore, report) : report;
  }

  function stop(delta: JsonObject): AnswerEvent[] {
    if (!isFinish(delta.stop_reason)) return [];
    const turn = delta.stop_reason === PAUSED ? toPausedTurn(joined.content(), usage.report(true)) : undefined;
    if (turn) pause = { turn, isOver: false };
    return [...blocks.stopAll(), ...(turn ? [] : end(delta))];
  }

  function end(delta: JsonObject): AnswerEvent[] {
    pause = undefined;
    const stopped = readStop(delta, blocks.shown());
    if (!stopped) return BROKEN;
    isStopped = true;
    return stopped;
  }

  return {
    read({ data }) {
      if (data === undefined) return [];
      const event = tryParseJson(data);
      return isObject(event) ? readEvent(event, data) : BROKEN;
    },
    end() {
      // It is not continued.
      if (pause) return end({ stop_reason: PAUSED });
      // A body that ends inside a block was truncated: another run may continue it.
      return isStopped ? blocks.stopAll() : [];
    },
    isWhole: () => pause?.isOver === false,
    paused: () => (pause?.isOver ? pause.turn : undefined),
    facts: (isOver) => ({ usage: totalWith(usage.report(isStopped || isOver || pause !== undefined)) }),
  };
}

// A whole answer of an Anthropic upstream as the events that it would have streamed.
export function readWhole({ value, text }: JsonDocument, { requestId }: Target): WholeEvents | undefined {
  const content = blocksOfMessage(value);
  if (!content) return undefined;
  const raw = openRaw(text).at('content');
  const blocks = createBlockReader(requestId);
  const events: AnswerEvent[] = [];
  for (const [index, block] of content.entries()) {
    events.push(...blocks.start(index, block, () => raw?.at(index)?.at('input')?.text), ...blocks.stop(index));
  }
  const stopped = readStop(value, blocks.shown());
  if (!stopped) return undefined;
  // A compaction of the conversation cannot be used elsewhere.
  const lost = [...blocks.lost(), ...(value.stop_reason === 'compaction' ? ['compaction'] : [])];
  return { events: [...events, ...stopped, { type: 'done' }], usage: readUsage(value.usage), lost };
}

const PAUSED = 'pause_turn';
const REASONS: ReadonlyMap<string, StopReason> = new Map([
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['tool_use', 'tool'],
  ['refusal', 'filter'],
]);

/** Undefined if the answer is incomplete, which includes a pause that is not continued. */
function readStop(
  { stop_reason: given, stop_sequence: sequence, stop_details: details }: JsonObject,
  { hasCalls, hasText }: { hasCalls: boolean; hasText: boolean },
): AnswerEvent[] | undefined {
  if (given === PAUSED) {
    if (!hasCalls && !hasText) return undefined;
    return [{ type: 'stop', reason: hasCalls ? 'tool' : 'length' }];
  }
  if (given === 'stop_sequence' && typeof sequence === 'string') return [{ type: 'stop', reason: 'end', sequence }];
  const reason = REASONS.get(String(given)) ?? 'end';
  // `tool` without a call would make clients wait forever.
  const isCall = reason === 'tool' || reason === 'end';
  return [...refusal(details), { type: 'stop', reason: isCall ? (hasCalls ? 'tool' : 'end') : reason }];
}

function refusal(details: JsonObject[string]): AnswerEvent[] {
  if (!isObject(details)) return [];
  const { explanation, category } = details;
  if (typeof explanation === 'string' && explanation !== '') return vendorRefusal(explanation);
  return vendorRefusal(typeof category === 'string' ? `Refused by the model's provider: ${category}.` : undefined);
}

/** Tokens that the vendor adds around a message. */
const MARKS_TOKENS = 16;

/**
 * A turn that continues when the same request is sent again with the blocks so far as a last assistant message. Undefined if
 * it cannot be continued: a call waits for its result, and without a report its price is unknown.
 */
function toPausedTurn(blocks: readonly MessageBlock[], usage: UsageReport): PausedTurn | undefined {
  if (typeof usage !== 'object' || usage.lacksOutput || isZero(usage.buckets)) return undefined;
  if (blocks.length === 0 || blocks.some(({ type }) => type === 'tool_use')) return undefined;
  const written = blocks.map((block) => ({ text: writeJson(block), isResult: isResult(block) }));
  // Results are not output; each of their tokens has at least one byte.
  const resultBytes = written.reduce((sum, { text, isResult }) => sum + (isResult ? Buffer.byteLength(text) : 0), 0);
  return {
    content: written.map(({ text }) => new RawJson(text)),
    usage,
    contentTokens: usage.buckets.output + resultBytes + MARKS_TOKENS,
  };
}

function isResult({ type }: MessageBlock): boolean {
  return String(type).endsWith('_tool_result');
}

export function mayBePaused(text: string): boolean {
  return text.includes(PAUSED);
}

/** As a stream, because streams of several turns can be read as one. */
export function readTurn(text: string): WholeTurn | undefined {
  const document = tryReadAnswerJson(text);
  if (!document || !blocksOfMessage(document.value)) return undefined;
  try {
    const stream = writeAsStream(document);
    const reader = createEventReader({ requestId: '' });
    for (const event of splitEvents(stream)) reader.read(event);
    return { stream, paused: reader.paused?.() };
  } catch (error) {
    if (error instanceof SseTooLong) return undefined;
    throw error;
  }
}
