// Whether bytes are an image of one frame. Some upstreams read an animation as a video, so images with more frames are
// excluded.

interface ImageFormat {
  hasFormat(head: Buffer): boolean;
  isStill(head: Buffer, whole: () => Buffer): boolean;
}

const always = () => true;

const FORMATS: readonly ImageFormat[] = [
  { hasFormat: (head) => startsWith(head, '\x89PNG\r\n\x1a\n'), isStill: (head) => !head.includes('acTL') },
  { hasFormat: (head) => startsWith(head, '\xff\xd8\xff'), isStill: always },
  {
    hasFormat: (head) => startsWith(head, 'RIFF') && at(head, 8, 'WEBPVP8'),
    isStill: (head) => !(at(head, 12, 'VP8X') && (head.readUInt8(20) & WEBP_ANIMATED) !== 0),
  },
  {
    hasFormat: (head) => startsWith(head, 'GIF87a') || startsWith(head, 'GIF89a'),
    isStill: (_, whole) => countFrames(whole()) === 1,
  },
  { hasFormat: isBitmap, isStill: always },
  // The same boxes hold videos. Those have a table of their samples, whatever the first box calls them.
  {
    hasFormat: (head) => at(head, 4, 'ftyp') && STILL_BRANDS.has(head.toString('latin1', 8, 12)),
    isStill: (_, whole) => !MOVIE_BOXES.some((box) => whole().includes(box)),
  },
];

const WEBP_ANIMATED = 0x02;
const STILL_BRANDS: ReadonlySet<string> = new Set(['heic', 'heix', 'heim', 'heis', 'mif1', 'avif']);
const MOVIE_BOXES = ['moov', 'moof'];
/** Longer than the part of any header that is read here. */
const MIN_BYTES = 24;

/** `whole` is called only for formats whose head does not decide it. */
export function isStillImage(head: Buffer, whole: () => Buffer): boolean {
  if (head.length < MIN_BYTES) return false;
  const format = FORMATS.find(({ hasFormat }) => hasFormat(head));
  return format?.isStill(head, whole) ?? false;
}

function startsWith(bytes: Buffer, text: string): boolean {
  return at(bytes, 0, text);
}

function at(bytes: Buffer, place: number, text: string): boolean {
  return bytes.toString('latin1', place, place + text.length) === text;
}

const BITMAP_HEADERS: ReadonlySet<number> = new Set([12, 40, 52, 56, 108, 124]);

/** Two letters alone may begin any text. */
function isBitmap(head: Buffer): boolean {
  return startsWith(head, 'BM') && head.readUInt32LE(6) === 0 && BITMAP_HEADERS.has(head.readUInt32LE(14));
}

const EXTENSION = 0x21;
const FRAME = 0x2c;
const TRAILER = 0x3b;
const HAS_COLORS = 0x80;

/** Frames of a GIF, up to two; 0 if its blocks cannot be followed to the end. */
function countFrames(bytes: Buffer): number {
  let frames = 0;
  let place = 13 + colorBytes(bytes[10] ?? 0);
  while (place < bytes.length) {
    switch (bytes[place]) {
      case TRAILER:
        return frames;
      case EXTENSION:
        place = skipBlocks(bytes, place + 2);
        break;
      case FRAME:
        frames++;
        if (frames > 1) return frames;
        place = skipBlocks(bytes, place + 11 + colorBytes(bytes[place + 9] ?? 0));
        break;
      default:
        return 0;
    }
  }
  return 0;
}

function colorBytes(flags: number): number {
  return (flags & HAS_COLORS) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1);
}

/** Behind the block of no bytes, which ends them. */
function skipBlocks(bytes: Buffer, from: number): number {
  let place = from;
  for (let size = bytes[place]; size !== undefined; size = bytes[place]) {
    place += 1 + size;
    if (size === 0) break;
  }
  return place;
}
