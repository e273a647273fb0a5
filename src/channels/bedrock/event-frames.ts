// The binary framing of streams from AWS. A message is: its length, the length of its headers, a checksum of these two,
// the headers, the payload, and a checksum of everything before it. Bytes arrive in pieces of any size.

export interface Frame {
  /** Only those with a text: the others have no meaning for us. */
  headers: ReadonlyMap<string, string>;
  payload: Uint8Array;
}

/** The stream is damaged: nothing after this point can be trusted. */
export class BadFrame extends Error {
  override name = 'BadFrame';
}

const PRELUDE_BYTES = 12;
const CHECKSUM_BYTES = 4;
/** Far above what the vendor sends in one message. */
const MAX_FRAME_BYTES = 24 * 1024 * 1024;
const TEXT_HEADER = 7;
/** The sizes of values by header type; byte arrays (6) contain their size. */
const VALUE_BYTES: Readonly<Record<number, number>> = { 0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16 };
const BYTES_HEADER = 6;

const decoder = new TextDecoder();

/** Reads frames from chunks; an incomplete frame is kept for the next chunk. */
export class FrameReader {
  #pieces: Uint8Array[] = [];
  #bytes = 0;
  /** How many bytes are needed before there is something to read. */
  #needed = PRELUDE_BYTES;

  /** Throws BadFrame. */
  read(piece: Uint8Array): Frame[] {
    this.#pieces.push(piece);
    this.#bytes += piece.byteLength;
    if (this.#bytes < this.#needed) return [];
    const frames: Frame[] = [];
    let rest = joined(this.#pieces, this.#bytes);
    for (;;) {
      this.#needed = neededBytes(rest);
      if (rest.byteLength < this.#needed) break;
      frames.push(readFrame(rest.subarray(0, this.#needed)));
      rest = rest.subarray(this.#needed);
    }
    this.#pieces = rest.byteLength > 0 ? [rest] : [];
    this.#bytes = rest.byteLength;
    return frames;
  }

  /** The stream ends in the middle of a message. */
  isCut(): boolean {
    return this.#bytes > 0;
  }
}

function joined(pieces: readonly Uint8Array[], bytes: number): Uint8Array {
  const [first] = pieces;
  if (first && pieces.length === 1) return first;
  const whole = new Uint8Array(bytes);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.byteLength;
  }
  return whole;
}

/** Size of the next message, or of its prelude while that is incomplete. */
function neededBytes(bytes: Uint8Array): number {
  if (bytes.byteLength < PRELUDE_BYTES) return PRELUDE_BYTES;
  const view = viewOf(bytes);
  const [total, headers] = [view.getUint32(0), view.getUint32(4)];
  if (view.getUint32(8) !== checksum(bytes.subarray(0, 8))) throw new BadFrame('checksum of a prelude');
  if (total > MAX_FRAME_BYTES || total < PRELUDE_BYTES + headers + CHECKSUM_BYTES) throw new BadFrame('length');
  return total;
}

function readFrame(bytes: Uint8Array): Frame {
  const view = viewOf(bytes);
  const end = bytes.byteLength - CHECKSUM_BYTES;
  if (view.getUint32(end) !== checksum(bytes.subarray(0, end))) throw new BadFrame('checksum of a message');
  const payloadAt = PRELUDE_BYTES + view.getUint32(4);
  return { headers: readHeaders(bytes.subarray(PRELUDE_BYTES, payloadAt)), payload: bytes.subarray(payloadAt, end) };
}

function readHeaders(bytes: Uint8Array): Map<string, string> {
  const headers = new Map<string, string>();
  const view = viewOf(bytes);
  let at = 0;
  const take = (count: number) => {
    if (at + count > bytes.byteLength) throw new BadFrame('headers');
    at += count;
    return at - count;
  };
  const text = (count: number) => decoder.decode(bytes.subarray(take(count), at));
  while (at < bytes.byteLength) {
    const name = text(view.getUint8(take(1)));
    const type = view.getUint8(take(1));
    if (type === TEXT_HEADER) headers.set(name, text(view.getUint16(take(2))));
    else if (type === BYTES_HEADER) take(view.getUint16(take(2)));
    else take(VALUE_BYTES[type] ?? Number.POSITIVE_INFINITY);
  }
  return headers;
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function checksum(bytes: Uint8Array): number {
  return Bun.hash.crc32(bytes);
}
