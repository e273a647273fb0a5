// Google streams events, or one long JSON array if a proxy drops the parameter for events. The array is converted into
// events here, byte by byte and without buffering.

import { BACKSLASH, CLOSE_BRACE, CLOSE_BRACKET, OPEN_BRACE, OPEN_BRACKET, QUOTE } from '../kit/json/characters.ts';
import { asEventsOf } from './upstream.ts';

const OPENING = new Set([OPEN_BRACKET, OPEN_BRACE]);
const CLOSING = new Set([CLOSE_BRACKET, CLOSE_BRACE]);
const LINE_END = 0x0a;
const LINE_ENDS = new Set([LINE_END, 0x0d]);
const SPACE = 0x20;
const [LIST_START] = new TextEncoder().encode('[');
const EVENT_START = new TextEncoder().encode('data: ');
const EVENT_END = new TextEncoder().encode('\n\n');

export const asEventStream = asEventsOf(/^application\/json\b/i, listToEvents);

/** Every element of the array becomes an event; so does a body that is not an array, such as an error. */
function listToEvents(): TransformStream<Uint8Array, Uint8Array> {
  let isBegun = false;
  let depth = 0;
  let isInText = false;
  let isEscaped = false;

  function take(byte: number, out: number[]): void {
    if (depth === 0) {
      const isListStart = byte === LIST_START && !isBegun;
      isBegun ||= OPENING.has(byte);
      if (isListStart || !OPENING.has(byte)) {
        // An empty line, so that a flood of such bytes is counted.
        out.push(LINE_END);
        return;
      }
      out.push(...EVENT_START, byte);
      depth = 1;
      return;
    }
    // Line ends occur only between values: as spaces they do not end the event.
    out.push(LINE_ENDS.has(byte) ? SPACE : byte);
    if (isInText) {
      if (isEscaped) isEscaped = false;
      else if (byte === BACKSLASH) isEscaped = true;
      else if (byte === QUOTE) isInText = false;
    } else if (byte === QUOTE) isInText = true;
    else if (OPENING.has(byte)) depth++;
    else if (CLOSING.has(byte) && --depth === 0) out.push(...EVENT_END);
  }

  return new TransformStream({
    transform(bytes, controller) {
      const out: number[] = [];
      for (const byte of bytes) take(byte, out);
      if (out.length > 0) controller.enqueue(Uint8Array.from(out));
    },
  });
}
