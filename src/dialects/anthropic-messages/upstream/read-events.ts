// An Anthropic upstream's stream as events of no dialect. Blocks that take turns are told one after the
// other; what only its own clients understand, such as tools that it runs itself, is not shown.

import { isObject, type JsonObject, tryParseJson } from '../../../kit/json/json.ts';
import { openRaw } from '../../../kit/json/raw-json.ts';
import { isFinish } from '../../stream/is-finish.ts';
import type { AnswerEvent, EventReader } from '../../translate/answer-events.ts';
import type { Target } from '../../translate/sides.ts';
import { createUsageTracker } from '../usage.ts';
import { createBlockReader } from './read-answer-blocks.ts';
import { readStop } from './read-stop.ts';

const BROKEN: AnswerEvent[] = [{ type: 'broken' }];

export function createEventReader({ requestId }: Target): EventReader {
  const blocks = createBlockReader(requestId);
  const usage = createUsageTracker();
  let isStopped = false;

  function readEvent(event: JsonObject, data: string): AnswerEvent[] {
    const { type, index, message, content_block: block, delta } = event;
    switch (type) {
      case 'message_start':
        usage.start(isObject(message) ? message.usage : undefined);
        return [];
      case 'content_block_start':
        if (!isObject(block)) return BROKEN;
        return blocks.start(index, block, () => openRaw(data).at('content_block')?.at('input')?.text);
      case 'content_block_delta':
        return isObject(delta) ? blocks.delta(index, delta) : BROKEN;
      case 'content_block_stop':
        return blocks.stop(index);
      case 'message_delta':
        usage.update(event.usage);
        return isObject(delta) && !isStopped ? stop(delta) : [];
      case 'message_stop':
        return [...blocks.stopAll(), { type: 'done' }];
      case 'error':
        return BROKEN;
      default:
        return typeof type === 'string' ? [] : BROKEN;
    }
  }

  function stop(delta: JsonObject): AnswerEvent[] {
    if (!isFinish(delta.stop_reason)) return [];
    const stopped = readStop(delta, blocks.shown());
    if (!stopped) return BROKEN;
    isStopped = true;
    return [...blocks.stopAll(), ...stopped];
  }

  return {
    read({ data }) {
      if (data === undefined) return [];
      const event = tryParseJson(data);
      return isObject(event) ? readEvent(event, data) : BROKEN;
    },
    // A body that ends inside a block was cut: another run may still say the rest of it.
    end: () => (isStopped ? blocks.stopAll() : []),
    facts: (isOver) => ({ usage: usage.report(isStopped || isOver) }),
  };
}
