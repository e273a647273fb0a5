// An Anthropic upstream's stream as events of no dialect. Blocks that take turns are told one after the
// other; what only its own clients understand, such as tools that it runs itself, is not shown. The messages of an answer that
// was paused and continued are read as one.

import { isObject, type JsonObject, tryParseJson } from '../../../kit/json/json.ts';
import { openRaw, writeJson } from '../../../kit/json/raw-json.ts';
import type { PausedTurn, ReportedUsage, UsageReport } from '../../dialect.ts';
import { isFinish } from '../../stream/is-finish.ts';
import type { AnswerEvent, EventReader } from '../../translate/answer-events.ts';
import type { Target } from '../../translate/sides.ts';
import { JoinedMessage } from '../join-message.ts';
import { addTurn, createUsageTracker } from '../usage.ts';
import { PAUSED, toPausedTurn } from './paused-turn.ts';
import { createBlockReader } from './read-answer-blocks.ts';
import { readStop } from './read-stop.ts';

const BROKEN: AnswerEvent[] = [{ type: 'broken' }];

export function createEventReader({ requestId }: Target): EventReader {
  const blocks = createBlockReader(requestId);
  let usage = createUsageTracker();
  let joined = new JoinedMessage();
  /** What the turns before this one used. */
  let usedBefore: ReportedUsage | undefined;
  /** Set if this turn was paused and can be continued; `isOver`: its own end mark has come. */
  let pause: { turn: PausedTurn; isOver: boolean } | undefined;
  let isStopped = false;

  function readEvent(event: JsonObject, data: string): AnswerEvent[] {
    const { type, index, message, content_block: block, delta } = event;
    switch (type) {
      case 'message_start':
        if (pause) beginTurn(pause.turn);
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
    usedBefore = typeof total === 'object' ? total : used;
    usage = createUsageTracker();
    joined = new JoinedMessage();
    pause = undefined;
  }

  function totalWith(report: UsageReport): UsageReport {
    return usedBefore ? addTurn(usedBefore, report) : report;
  }

  function stop(delta: JsonObject): AnswerEvent[] {
    if (!isFinish(delta.stop_reason)) return [];
    const turn = delta.stop_reason === PAUSED ? toPausedTurn(turnBlocks(), usage.report(true)) : undefined;
    if (turn) pause = { turn, isOver: false };
    return [...blocks.stopAll(), ...(turn ? [] : end(delta))];
  }

  function end(delta: JsonObject): AnswerEvent[] {
    const stopped = readStop(delta, blocks.shown());
    if (!stopped) return BROKEN;
    isStopped = true;
    return stopped;
  }

  /** It is not continued. */
  function endPaused(): AnswerEvent[] {
    pause = undefined;
    return end({ stop_reason: PAUSED });
  }

  function turnBlocks() {
    return joined.content().map((block) => ({ type: String(block.type), text: writeJson(block) }));
  }

  return {
    read({ data }) {
      if (data === undefined) return [];
      const event = tryParseJson(data);
      const events = isObject(event) ? readEvent(event, data) : BROKEN;
      // The next turn has failed before it began.
      return events === BROKEN && pause?.isOver ? [...endPaused(), { type: 'done' }] : events;
    },
    end() {
      if (pause) return endPaused();
      // A body that ends inside a block was cut: another run may still say the rest of it.
      return isStopped ? blocks.stopAll() : [];
    },
    isWhole: () => pause?.isOver === false,
    paused: () => (pause?.isOver ? pause.turn : undefined),
    facts: (isOver) => ({ usage: totalWith(usage.report(isStopped || isOver || pause !== undefined)) }),
  };
}
