// Files of every kind that a request may carry, as small as they can be: headers as programs write them, and little behind.

export interface Wave {
  channels?: number;
  samples?: number;
  bits?: number;
  /** The code of the format: 1 is plain samples. */
  code?: number;
  /** What the head claims as bytes a second, be it true or not. */
  told?: number;
  /** Chunks between the format and the data. */
  between?: readonly Buffer[];
}

/** A WAV file of so many seconds, by default speech as telephones record it. */
export function wave(
  seconds: number,
  { channels = 1, samples = 16_000, bits = 16, code = 1, told, between }: Wave = {},
) {
  const bytesPerSecond = (channels * samples * bits) / 8;
  const format = Buffer.alloc(16);
  format.writeUInt16LE(code, 0);
  format.writeUInt16LE(channels, 2);
  format.writeUInt32LE(samples, 4);
  format.writeUInt32LE(told ?? bytesPerSecond, 8);
  format.writeUInt16LE((channels * bits) / 8, 12);
  format.writeUInt16LE(bits, 14);
  const data = Buffer.alloc(Math.ceil(seconds * bytesPerSecond), 7);
  const chunks = [chunk('fmt ', format), ...(between ?? []), chunk('data', data)];
  return Buffer.concat([Buffer.from('RIFF'), uint32(4 + lengthOf(chunks)), Buffer.from('WAVE'), ...chunks]);
}

export function chunk(name: string, bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from(name, 'latin1'), uint32(bytes.length), bytes]);
}

export function png(width: number, height: number, ...further: Buffer[]): Buffer {
  const size = Buffer.alloc(8);
  size.writeUInt32BE(width, 0);
  size.writeUInt32BE(height, 4);
  return Buffer.concat([Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), size, Buffer.alloc(8), ...further]);
}

export function jpeg(width: number, height: number): Buffer {
  const frame = Buffer.from([0xff, 0xc0, 0, 17, 8, height >> 8, height & 255, width >> 8, width & 255, 3]);
  return Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0]), frame, Buffer.alloc(40)]);
}

const GIF_FRAME = Buffer.from([0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0]);

export function gif(frames: number): Buffer {
  const screen = Buffer.from([...Buffer.from('GIF89a'), 1, 0, 1, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255]);
  const pauses = Buffer.from([0x21, 0xf9, 4, 0, 10, 0, 0, 0]);
  return Buffer.concat([
    screen,
    ...Array.from({ length: frames }, () => Buffer.concat([pauses, GIF_FRAME])),
    Buffer.from([0x3b]),
  ]);
}

export function webp(isAnimated: boolean): Buffer {
  const head = Buffer.from([
    ...Buffer.from('RIFF....WEBPVP8X'),
    10,
    0,
    0,
    0,
    isAnimated ? 2 : 0,
    0,
    0,
    0,
    9,
    0,
    0,
    9,
    0,
    0,
  ]);
  return Buffer.concat([head, Buffer.alloc(16)]);
}

/** Boxes of the MP4 family: videos, and the pictures of phones. */
export function boxes(brand: string, ...names: string[]): Buffer {
  const box = (name: string, bytes: Buffer) => {
    const size = Buffer.alloc(4);
    size.writeUInt32BE(8 + bytes.length);
    return Buffer.concat([size, Buffer.from(name), bytes]);
  };
  const type = box('ftyp', Buffer.from(`${brand}\0\0\0\0${brand}`));
  return Buffer.concat([type, ...names.map((name) => box(name, Buffer.alloc(32)))]);
}

const PDF = '%PDF-1.7\n1 0 obj<</Type/ObjStm/N 900/Filter/FlateDecode>>stream\n\x78\x9c\xff\nendstream';
const ZIP = Buffer.from('504b0304140006000800000021', 'hex');

/** Files of which the bytes bound nothing. */
export const OPEN_FILES: Readonly<Record<string, Buffer>> = {
  'a PDF': Buffer.from(PDF, 'latin1'),
  'a PDF behind some words': Buffer.from(`${'a'.repeat(900)}${PDF}`, 'latin1'),
  'a PDF of ASCII alone': Buffer.from('Hello\n%PDF-1.4\n<</Filter[/ASCIIHexDecode/FlateDecode]>>stream 789c>\n'),
  'a DOCX': Buffer.concat([ZIP, Buffer.from('word/document.xml')]),
  'a gzip': Buffer.concat([Buffer.from('1f8b0800000000000003', 'hex'), Buffer.alloc(40, 0x5a)]),
  'an MP4': boxes('isom', 'moov', 'mdat'),
  'an MP4 that calls itself a picture': boxes('heic', 'mdat', 'moov'),
  'a QuickTime film': boxes('qt  ', 'moov'),
  'a WebM': Buffer.from('1a45dfa3010000000000001f4286810142f7810142f2810442f38108', 'hex'),
  'an AVI': Buffer.concat([Buffer.from('RIFF....AVI LIST'), Buffer.alloc(32)]),
  'an MP3': Buffer.concat([Buffer.from('fffb9064', 'hex'), Buffer.alloc(400)]),
  'an MP3 with a title': Buffer.concat([Buffer.from('ID3\x04\0\0\0\0\0\x0a'), Buffer.alloc(400)]),
  'an Ogg': Buffer.concat([Buffer.from('OggS\0\x02'), Buffer.alloc(60)]),
  'a FLAC': Buffer.concat([Buffer.from('fLaC\0\0\0\x22'), Buffer.alloc(60)]),
  'an M4A': boxes('M4A ', 'moov', 'mdat'),
  'an AAC': Buffer.concat([Buffer.from('fff15080', 'hex'), Buffer.alloc(60)]),
  'an animated GIF': gif(2),
  'an animated WebP': webp(true),
  'an animated PNG': png(8, 8, Buffer.from('\0\0\0\x08acTL'), Buffer.alloc(12)),
  'a WAV of one sample a second': wave(2_000, { samples: 1, bits: 8 }),
  'a WAV that claims one byte a second': wave(1, { told: 1 }),
  'a WAV that holds an MP3': wave(1, { code: 0x55 }),
  'a WAV with two formats': wave(1, { between: [chunk('fmt ', Buffer.alloc(16, 1))] }),
  'text in UTF-16': Buffer.from('\ufeffHello, all of you out there.', 'utf16le'),
  'bytes of no known kind': Buffer.alloc(300, 0xa5),
};

export const IMAGES: Readonly<Record<string, Buffer>> = {
  'a PNG': png(800, 600),
  'a JPEG': jpeg(800, 600),
  'a GIF': gif(1),
  'a WebP': webp(false),
  'a BMP': Buffer.concat([Buffer.from('BM\x46\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0', 'latin1'), Buffer.alloc(40)]),
  'a picture of a phone': boxes('heic', 'meta', 'mdat'),
};

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function lengthOf(chunks: readonly Buffer[]): number {
  return chunks.reduce((sum, { length }) => sum + length, 0);
}
