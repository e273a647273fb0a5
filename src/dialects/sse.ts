// Server-sent events, read piece by piece: any split of the bytes, any of the three line endings, comments and all.
// Bounded: an event that grows past the limit ends the stream.

export interface SseEvent {
  /** The `event:` field; absent in the chat dialect. */
  event: string | undefined;
  /** All `data:` lines joined; undefined for a block of comments. */
  data: string | undefined;
}

export class SseTooLong extends Error {
  override name = 'SseTooLong';
}

const MAX_EVENT_CHARS = 32 * 1024 * 1024;

export interface SseReader {
  push(bytes: Uint8Array): SseEvent[];
}

export function createSseReader(maxEventChars = MAX_EVENT_CHARS): SseReader {
  const decoder = new TextDecoder();
  let buffer = '';
  let event: string | undefined;
  let data: string | undefined;
  let size = 0;
  let hasComment = false;

  function takeLine(line: string, events: SseEvent[]): void {
    size += line.length;
    if (size > maxEventChars) throw new SseTooLong('an event is too long');
    if (line === '') {
      if (data !== undefined || event !== undefined || hasComment) events.push({ event, data });
      event = undefined;
      data = undefined;
      hasComment = false;
      size = 0;
      return;
    }
    const colon = line.indexOf(':');
    if (colon === 0) {
      hasComment = true;
      return;
    }
    const name = colon < 0 ? line : line.slice(0, colon);
    let value = colon < 0 ? '' : line.slice(colon + 1);
    if (value.startsWith(' ')) value = value.slice(1);
    if (name === 'data') data = data === undefined ? value : `${data}\n${value}`;
    else if (name === 'event') event = value;
  }

  return {
    push(bytes) {
      buffer += decoder.decode(bytes, { stream: true });
      const events: SseEvent[] = [];
      let start = 0;
      for (;;) {
        const end = lineEnd(buffer, start);
        if (end < 0) break;
        // A CR at the very end may be half of a CRLF whose LF comes next.
        if (buffer[end] === '\r' && end + 1 === buffer.length) break;
        takeLine(buffer.slice(start, end), events);
        start = end + (buffer[end] === '\r' && buffer[end + 1] === '\n' ? 2 : 1);
      }
      buffer = buffer.slice(start);
      if (size + buffer.length > maxEventChars) throw new SseTooLong('an event is too long');
      return events;
    },
  };
}

function lineEnd(text: string, from: number): number {
  const lf = text.indexOf('\n', from);
  const cr = text.indexOf('\r', from);
  if (cr < 0) return lf;
  return lf < 0 ? cr : Math.min(lf, cr);
}

export function writeSse(data: string, event?: string): string {
  return `${event === undefined ? '' : `event: ${event}\n`}data: ${data}\n\n`;
}
