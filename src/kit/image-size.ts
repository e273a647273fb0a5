// Width and height of an image, from the start of its base64. Holds depend on them, so doubtful input has no size:
// base64 that decoders may read differently, and GIF, whose frames may be larger than its header says.

export interface ImageSize {
  width: number;
  height: number;
}

const HEAD_CHARS = 4 * 1024;
/** Cameras store a thumbnail and metadata before the size. */
const LONG_HEAD_CHARS = 256 * 1024;

/** Undefined if unknown. `from`: where the base64 begins in the text. */
export function imageSize(text: string, from: number): ImageSize | undefined {
  const head = decode(text, from, HEAD_CHARS);
  if (!head) return undefined;
  const size = isJpeg(head)
    ? jpegSize(head, () => decode(text, from, LONG_HEAD_CHARS))
    : (pngSize(head) ?? webpSize(head));
  return size && size.width > 0 && size.height > 0 ? size : undefined;
}

/** Undefined unless it is canonical base64. */
function decode(text: string, from: number, chars: number): Buffer | undefined {
  const base64 = text.slice(from, from + chars);
  const bytes = Buffer.from(base64, 'base64');
  return bytes.toString('base64') === base64 ? bytes : undefined;
}

function pngSize(head: Buffer): ImageSize | undefined {
  if (head.length < 24 || head.toString('latin1', 0, 8) !== '\x89PNG\r\n\x1a\n') return undefined;
  if (head.toString('latin1', 12, 16) !== 'IHDR') return undefined;
  return { width: head.readUInt32BE(16), height: head.readUInt32BE(20) };
}

function webpSize(head: Buffer): ImageSize | undefined {
  if (head.length < 30 || head.toString('latin1', 0, 4) !== 'RIFF') return undefined;
  switch (head.toString('latin1', 8, 16)) {
    case 'WEBPVP8 ':
      return { width: head.readUInt16LE(26) & 0x3fff, height: head.readUInt16LE(28) & 0x3fff };
    case 'WEBPVP8L': {
      const bits = head.readUInt32LE(21);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case 'WEBPVP8X':
      return { width: head.readUIntLE(24, 3) + 1, height: head.readUIntLE(27, 3) + 1 };
    default:
      return undefined;
  }
}

function isJpeg(head: Buffer): boolean {
  return head[0] === 0xff && head[1] === 0xd8;
}

function jpegSize(head: Buffer, more: () => Buffer | undefined): ImageSize | undefined {
  const at = frameAt(head);
  if (at !== 'beyond') return at === undefined ? undefined : frameSize(head, at);
  const longer = more();
  const place = longer ? frameAt(longer) : undefined;
  return longer && typeof place === 'number' ? frameSize(longer, place) : undefined;
}

const FRAME_BYTES = 9;
const MARK = 0xff;

function frameSize(bytes: Buffer, at: number): ImageSize {
  return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
}

/** Finds the frame header by following segment lengths. */
function frameAt(bytes: Buffer): number | 'beyond' | undefined {
  let at = 2;
  while (at + FRAME_BYTES <= bytes.length) {
    const kind = bytes[at + 1] ?? 0;
    if (bytes[at] !== MARK) return undefined;
    if (kind === MARK) at++;
    else if (isFrame(kind)) return at;
    // The image data has begun, or the segment has no length.
    else if (kind < 0xc0 || (kind >= 0xd0 && kind <= 0xda)) return undefined;
    else at += 2 + Math.max(2, bytes.readUInt16BE(at + 2));
  }
  return 'beyond';
}

/** The sixteen frame types, except three table markers. */
function isFrame(kind: number): boolean {
  return kind >= 0xc0 && kind <= 0xcf && kind !== 0xc4 && kind !== 0xc8 && kind !== 0xcc;
}
