// Parses an HTTP answer that arrives in chunks. It reads as little as possible, because the load that uses it must cost less
// than anything it measures.

export interface HttpAnswer {
  status: number;
  body: Buffer;
}

export interface AnswerReader {
  /** The answer, once it is complete. */
  add(piece: Buffer): HttpAnswer | undefined;
  /** Resets for the next answer. */
  clear(): void;
}

const LAST_CHUNK = '0\r\n\r\n';

export function createAnswerReader(): AnswerReader {
  let pieces: Buffer[] = [];
  let bytes = 0;
  let head: Head | undefined;

  function joined(): Buffer {
    const [first] = pieces;
    if (first && pieces.length === 1) return first;
    const all = Buffer.concat(pieces);
    pieces = [all];
    return all;
  }

  function isWhole({ bodyAt, length }: Head): boolean {
    if (length !== undefined) return bytes >= bodyAt + length;
    if (bytes < bodyAt + LAST_CHUNK.length) return false;
    const last = pieces.at(-1);
    const end = last && last.length >= LAST_CHUNK.length ? last : joined();
    return end.toString('latin1', end.length - LAST_CHUNK.length) === LAST_CHUNK;
  }

  return {
    add(piece) {
      pieces.push(piece);
      bytes += piece.length;
      head ??= readHead(pieces.length === 1 ? piece : joined());
      if (!head || !isWhole(head)) return undefined;
      const body = joined().subarray(head.bodyAt);
      return { status: head.status, body: head.length === undefined ? dechunk(body) : body.subarray(0, head.length) };
    },
    clear() {
      pieces = [];
      bytes = 0;
      head = undefined;
    },
  };
}

interface Head {
  status: number;
  bodyAt: number;
  /** Undefined: chunked. */
  length: number | undefined;
}

function readHead(bytes: Buffer): Head | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const text = bytes.toString('latin1', 0, end);
  const length = /\r\ncontent-length: *(\d+)/i.exec(text)?.[1];
  if (length === undefined && !/\r\ntransfer-encoding: *chunked/i.test(text)) {
    throw new Error(`an answer without a length: ${text.slice(0, 200)}`);
  }
  return {
    status: Number(text.slice(9, 12)),
    bodyAt: end + 4,
    length: length === undefined ? undefined : Number(length),
  };
}

function dechunk(bytes: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; ; ) {
    const lineEnd = bytes.indexOf('\r\n', at);
    const size = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16);
    if (lineEnd < 0 || Number.isNaN(size)) throw new Error('a body with invalid chunks');
    if (size === 0) return Buffer.concat(parts);
    parts.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = lineEnd + 2 + size + 2;
  }
}
