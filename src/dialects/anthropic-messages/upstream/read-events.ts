// Reads the stream of an Anthropic upstream as answer events. Interleaved blocks are put in order; content that only
// Anthropic clients understand, such as tools that the vendor runs, is left out. The messages of an answer that was paused
// and continued are read as one.

import { isObject, type JsonDocument, type JsonObject, tryParseJson } from '../../../kit/json/json.ts';
import { openRaw } from '../../../kit/json/raw-json.ts';
import type { PausedTurn, UsageReport } from '../../dialect.ts';
import { isFinish } from '../../stream/is-finish.ts';
import type { Target } from '../../translate/adapters.ts';
import type { AnswerEvent, EventReader, WholeEvents } from '../../translate/answer-events.ts';
import { JoinedMessage } from '../join-message.ts';
import { addTurn, readUsage, UsageTracker, type UsedTurns } from '../usage.ts';
import { PAUSED, toPausedTurn } from './paused-turn.ts';
import { createBlockReader } from './read-answer-blocks.ts';
import { readStop } from './read-stop.ts';

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
  const { type, content, stop_reason: reason, usage } = value;
  if (type !== 'message' || !Array.isArray(content) || !isFinish(reason)) return undefined;
  const raw = openRaw(text).at('content');
  const blocks = createBlockReader(requestId);
  const events: AnswerEvent[] = [];
  for (const [index, block] of content.entries()) {
    if (!isObject(block)) return undefined;
    events.push(...blocks.start(index, block, () => raw?.at(index)?.at('input')?.text), ...blocks.stop(index));
  }
  const stopped = readStop(value, blocks.shown());
  if (!stopped) return undefined;
  // A compaction of the conversation cannot be used elsewhere.
  const lost = [...blocks.lost(), ...(reason === 'compaction' ? ['compaction'] : [])];
  return { events: [...events, ...stopped, { type: 'done' }], usage: readUsage(usage), lost };
}
