// Server-sent events, read piece by piece: any split of the bytes, any of the three line endings, comments and all.
// Bounded: an event that grows past the limit ends the stream.

import { tryParseJson } from '../../kit/json/json.ts';

export interface SseEvent {
  /** The `event:` field; absent in the chat dialect. */
  event: string | undefined;
  /** All `data:` lines joined; undefined for a block of comments. */
  data: string | undefined;
}

/** What others call an event that only keeps a connection open. */
const KEEP_ALIVES: ReadonlySet<unknown> = new Set(['ping', 'keepalive', 'keep-alive', 'keep_alive', 'heartbeat']);

export function isKeepAlive(event: unknown): boolean {
  return KEEP_ALIVES.has(event);
}

export class SseTooLong extends Error {
  override name = 'SseTooLong';
}

const MAX_EVENT_CHARS = 32 * 1024 * 1024;
const STREAM = { stream: true };
const DATA = 'data: ';
const LF = 0x0a;

/** What most pieces of most streams are. */
function isOneEvent(text: string): boolean {
  return (
    text.startsWith(DATA) && text.indexOf('\n') === text.length - 2 && text.endsWith('\n\n') && !text.includes('\r')
  );
}

export interface SseReader {
  push(bytes: Uint8Array): SseEvent[];
  /** The bytes are over: the event whose empty line never came, if its data is whole. */
  end(): SseEvent | undefined;
  /** Everything before is read, to the last byte: the next one begins an event. */
  isAtEvent(): boolean;
}

export function createSseReader(maxEventChars = MAX_EVENT_CHARS): SseReader {
  const decoder = new TextDecoder();
  const lineEnd = /\r\n|\n|\r/g;
  /** A line whose end has not come. */
  let begun = '';
  /** The last piece ended in a CR: an LF at the head of the next one belongs to it. */
  let afterCr = false;
  let event: string | undefined;
  let data: string | undefined;
  let size = 0;
  let hasComment = false;
  /** Then no character is begun either. */
  let afterLf = true;

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

  /** Nothing is left of what came before. */
  const isFresh = () => begun === '' && !afterCr && data === undefined && event === undefined && !hasComment;

  return {
    isAtEvent: () => afterLf && isFresh(),
    push(bytes) {
      if (bytes.length > 0) afterLf = bytes[bytes.length - 1] === LF;
      const events: SseEvent[] = [];
      let more = decoder.decode(bytes, STREAM);
      if (more === '') return events;
      if (isFresh() && more.length <= maxEventChars && isOneEvent(more)) {
        return [{ event: undefined, data: more.slice(DATA.length, -2) }];
      }
      if (afterCr && more.startsWith('\n')) more = more.slice(1);
      afterCr = more.endsWith('\r');
      let start = 0;
      // Only what is new is searched: a long line in many pieces would else be read again with each of them.
      if (more.includes('\r')) {
        for (let end = lineEnd.exec(more); end; end = lineEnd.exec(more)) {
          takeLine(begun + more.slice(start, end.index), events);
          begun = '';
          start = lineEnd.lastIndex;
        }
      } else {
        for (let end = more.indexOf('\n'); end >= 0; end = more.indexOf('\n', start)) {
          takeLine(begun + more.slice(start, end), events);
          begun = '';
          start = end + 1;
        }
      }
      begun += more.slice(start);
      if (size + begun.length > maxEventChars) throw new SseTooLong('an event is too long');
      return events;
    },
    end() {
      const events: SseEvent[] = [];
      const rest = begun + decoder.decode();
      begun = '';
      if (rest !== '') takeLine(rest, events);
      takeLine('', events);
      return events.find(isWhole);
    },
  };
}

/** What was cut off in the middle is neither. */
function isWhole({ data = '' }: SseEvent): boolean {
  return data === '[DONE]' || tryParseJson(data) !== undefined;
}

export function writeSse(data: string, event?: string): string {
  const lines = data.includes('\n') ? data.replaceAll('\n', `\n${DATA}`) : data;
  return `${event === undefined ? '' : `event: ${event}\n`}${DATA}${lines}\n\n`;
}
