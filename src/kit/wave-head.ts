// Reads a WAV header to bound the file's duration. A header can claim one sample per second or contain compressed
// audio, either of which makes hours out of a few bytes.

const WAVE_HEAD = /^RIFF[\s\S]{4}WAVE$/;
const CHUNK_HEAD_BYTES = 8;
const MIN_FORMAT_BYTES = 16;
/** Integers and floats. The extended format names one of these, or another, later in the header. */
const PLAIN: ReadonlySet<number> = new Set([1, 3]);
const EXTENSIBLE = 0xfffe;
const EXTENSIBLE_BYTES = 26;
/** 8,000 samples of 8 bits: telephone quality. */
export const MIN_WAVE_BYTES_PER_SECOND = 8_000;

interface WaveFormat {
  code: number;
  bytesPerSecond: number;
}

/** Whether it is an uncompressed WAV with at least the bytes per second that speech needs. */
export function isPlainWave(head: Buffer): boolean {
  return waveBytesPerSecond(head) !== undefined;
}

/** Undefined for everything else. */
export function waveBytesPerSecond(head: Buffer): number | undefined {
  const format = readWaveFormat(head);
  const isPlain = format && PLAIN.has(format.code) && format.bytesPerSecond >= MIN_WAVE_BYTES_PER_SECOND;
  return isPlain ? format.bytesPerSecond : undefined;
}

/** Undefined if it is not a WAV, or if decoders may use another format chunk: a later or second one. */
function readWaveFormat(head: Buffer): WaveFormat | undefined {
  if (!WAVE_HEAD.test(head.toString('latin1', 0, 12))) return undefined;
  let found: WaveFormat | undefined;
  let at = 12;
  while (at + CHUNK_HEAD_BYTES <= head.length) {
    const name = head.toString('latin1', at, at + 4);
    if (name === 'data') return found;
    const start = at + CHUNK_HEAD_BYTES;
    const bytes = head.readUInt32LE(at + 4);
    if (name === 'fmt ') {
      if (found || bytes < MIN_FORMAT_BYTES || start + bytes > head.length) return undefined;
      found = formatOf(head.subarray(start, start + bytes));
    }
    // Chunks begin at even offsets.
    at = start + bytes + (bytes % 2);
  }
  return undefined;
}

/**
 * Decoders compute the bytes per second from samples, channels and bits; the header also claims them, and the smaller
 * counts.
 */
function formatOf(chunk: Buffer): WaveFormat {
  const code = chunk.readUInt16LE(0);
  const isExtensible = code === EXTENSIBLE && chunk.length >= EXTENSIBLE_BYTES;
  const computed = (chunk.readUInt16LE(2) * chunk.readUInt32LE(4) * chunk.readUInt16LE(14)) / 8;
  return {
    code: isExtensible ? chunk.readUInt16LE(24) : code,
    bytesPerSecond: Math.min(computed, chunk.readUInt32LE(8)),
  };
}
