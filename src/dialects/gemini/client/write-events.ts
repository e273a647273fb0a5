// Writes an answer for a Gemini client, streamed or whole. The sender adds the usage.

import type { JsonObject } from '../../../kit/json/json.ts';
import { type RawValue, writeJson } from '../../../kit/json/raw-json.ts';
import type { AnswerContext, EventWriter, Frame } from '../../translate/adapters.ts';
import type { AnswerEvent, StopReason } from '../../translate/answer-events.ts';
import { EMPTY_PART } from '../read-candidate.ts';
import { PartWriter, type WrittenPart } from './write-parts.ts';

/** There is no separate reason for an answer that waits for results. */
const REASONS: Readonly<Record<StopReason, string>> = {
  end: 'STOP',
  tool: 'STOP',
  length: 'MAX_TOKENS',
  filter: 'SAFETY',
};

export function createEventWriter(context: AnswerContext): EventWriter {
  const parts = new PartWriter(context);
  let isOver = false;
  let hasBegun = false;
  const frame = (written: WrittenPart[], end: JsonObject = {}): Frame => ({
    event: undefined,
    data: writeAnswer(context, written, end),
  });
  return {
    begin() {
      if (hasBegun) return [];
      hasBegun = true;
      return [frame([EMPTY_PART])];
    },
    write(event) {
      if (isOver) return [];
      hasBegun = true;
      if (event.type !== 'stop') return parts.write(event).map((part) => frame([part]));
      isOver = true;
      return [frame([EMPTY_PART], endOf(event.reason, parts.explanation))];
    },
  };
}

export function writeWhole(events: readonly AnswerEvent[], context: AnswerContext): string {
  const writer = new PartWriter(context);
  const parts: WrittenPart[] = [];
  for (const event of events) for (const part of writer.write(event)) addPart(parts, part);
  const stop = events.find(({ type }) => type === 'stop');
  const reason = stop?.type === 'stop' ? stop.reason : 'end';
  return writeAnswer(context, parts, endOf(reason, writer.explanation));
}

/** Pieces of one text are one part; so is the signature behind them. */
function addPart(parts: WrittenPart[], part: WrittenPart): void {
  const last = parts.at(-1);
  const isPiece =
    typeof part.text === 'string' &&
    typeof last?.text === 'string' &&
    last.thought === part.thought &&
    last.thoughtSignature === undefined;
  if (isPiece) parts[parts.length - 1] = { ...last, ...part, text: `${last.text}${part.text}` };
  else parts.push(part);
}

function endOf(reason: StopReason, explanation: string): JsonObject {
  return { finishReason: REASONS[reason], ...(explanation === '' ? {} : { finishMessage: explanation }) };
}

function writeAnswer({ requestId, model }: AnswerContext, parts: RawValue[], end: JsonObject): string {
  const candidate = { content: { parts, role: 'model' }, ...end, index: 0 };
  return writeJson({ candidates: [candidate], modelVersion: model, responseId: requestId });
}
