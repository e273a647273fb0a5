// Converts one turn of a whole answer that may be paused to a stream, because streams of several turns can be read as one.

import { isObject, type JsonObject, tryReadAnswerJson } from '../../../kit/json/json.ts';
import { isFinish } from '../../stream/is-finish.ts';
import { splitEvents } from '../../stream/other-form.ts';
import { SseTooLong } from '../../stream/sse.ts';
import type { WholeTurn } from '../../translate/turn-reader.ts';
import { writeAsStream } from '../other-form.ts';
import { PAUSED } from './paused-turn.ts';
import { createEventReader } from './read-events.ts';

export function mayBePaused(text: string): boolean {
  return text.includes(PAUSED);
}

export function readTurn(text: string): WholeTurn | undefined {
  const document = tryReadAnswerJson(text);
  if (!document || !isMessage(document.value)) return undefined;
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

function isMessage({ type, content, stop_reason: reason }: JsonObject): boolean {
  return type === 'message' && Array.isArray(content) && content.every(isObject) && isFinish(reason);
}
