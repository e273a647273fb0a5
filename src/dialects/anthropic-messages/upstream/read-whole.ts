// A whole answer of an Anthropic upstream as the events that it would have streamed.

import { isObject, type JsonDocument } from '../../../kit/json/json.ts';
import { openRaw } from '../../../kit/json/raw-json.ts';
import { isFinish } from '../../stream/is-finish.ts';
import type { AnswerEvent, WholeEvents } from '../../translate/answer-events.ts';
import type { Target } from '../../translate/sides.ts';
import { readUsage } from '../usage.ts';
import { createBlockReader } from './read-answer-blocks.ts';
import { readStop } from './read-stop.ts';

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
  // What went before was made shorter, and nobody else could go on from that.
  const lost = [...blocks.lost(), ...(reason === 'compaction' ? ['compaction'] : [])];
  return { events: [...events, ...stopped, { type: 'done' }], usage: readUsage(usage), lost };
}
