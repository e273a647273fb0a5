// The head of a WAV file, as far as it bounds how long the file may sound. A head can claim one sample a second, or hold
// compressed audio, and either makes hours of a few bytes.

const WAVE_HEAD = /^RIFF[\s\S]{4}WAVE$/;
const CHUNK_HEAD_BYTES = 8;
const LEAST_FORMAT_BYTES = 16;
/** Whole numbers and fractions. The third says that one of these, or anything else, is named further on. */
const PLAIN: ReadonlySet<number> = new Set([1, 3]);
const EXTENSIBLE = 0xfffe;
const EXTENSIBLE_BYTES = 26;
/** 8,000 samples of 8 bits: what telephones transmit. */
export const LEAST_WAVE_BYTES_PER_SECOND = 8_000;

export interface WaveFormat {
  code: number;
  bytesPerSecond: number;
}

/** Whether it is a WAV of plain samples, with at least the bytes a second that speech needs. */
export function isPlainWave(head: Buffer): boolean {
  const format = readWaveFormat(head);
  return format !== undefined && PLAIN.has(format.code) && format.bytesPerSecond >= LEAST_WAVE_BYTES_PER_SECOND;
}

/** Undefined if it is no WAV, or if decoders may read another format from it: one that stands later, or a second one. */
export function readWaveFormat(head: Buffer): WaveFormat | undefined {
  if (!WAVE_HEAD.test(head.toString('latin1', 0, 12))) return undefined;
  let found: WaveFormat | undefined;
  let at = 12;
  while (at + CHUNK_HEAD_BYTES <= head.length) {
    const name = head.toString('latin1', at, at + 4);
    if (name === 'data') return found;
    const start = at + CHUNK_HEAD_BYTES;
    const bytes = head.readUInt32LE(at + 4);
    if (name === 'fmt ') {
      if (found || bytes < LEAST_FORMAT_BYTES || start + bytes > head.length) return undefined;
      found = formatOf(head.subarray(start, start + bytes));
    }
    // Chunks begin at even places.
    at = start + bytes + (bytes % 2);
  }
  return undefined;
}

/** Decoders compute the bytes of a second from samples, channels and bits; the head also claims them, and the less counts. */
function formatOf(chunk: Buffer): WaveFormat {
  const code = chunk.readUInt16LE(0);
  const isExtensible = code === EXTENSIBLE && chunk.length >= EXTENSIBLE_BYTES;
  const computed = (chunk.readUInt16LE(2) * chunk.readUInt32LE(4) * chunk.readUInt16LE(14)) / 8;
  return {
    code: isExtensible ? chunk.readUInt16LE(24) : code,
    bytesPerSecond: Math.min(computed, chunk.readUInt32LE(8)),
  };
}
