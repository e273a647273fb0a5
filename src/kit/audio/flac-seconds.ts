// The length of a FLAC by its frames, which is what decoders play, and by the number of samples that its head declares: the
// longer of the two. A head may declare nothing, and a frame of silence has a few bytes for seconds.

/** A stream that declares more is damaged, or its length is unknown. */
export const MAX_SECONDS = 1_000_000;

const MARK = 'fLaC';
/** The mark, the head of the first block, and that block up to the number of samples. */
const MIN_BYTES = 26;
/** In Hz, by the code in a frame's head. 0 means as the file's head says, and from 12 on it follows in the frame's. */
const SAMPLE_RATES = [0, 88_200, 176_400, 192_000, 8_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000];
/** The code of a block size or sample rate that follows, and how many bytes it has. */
const SIZE_BYTES: Readonly<Record<number, number>> = { 6: 1, 7: 2 };
const RATE_BYTES: Readonly<Record<number, number>> = { 12: 1, 13: 2, 14: 2 };
const RATE_UNITS: Readonly<Record<number, number>> = { 12: 1_000, 13: 1, 14: 10 };
/** Sound looks like a head once in 32 KB. A file with so many wrong ones is made to take long. */
const MAX_WRONG = 100_000;
/** Before the frame's number. */
const FIXED_BYTES = 4;

/** Undefined if it is not a FLAC. */
export function flacSeconds(bytes: Buffer): number | undefined {
  if (bytes.length < MIN_BYTES || bytes.toString('latin1', 0, 4) !== MARK) return undefined;
  // 20 bits of sample rate; after 16 others, 36 bits of the number of samples.
  const rate = bytes.readUIntBE(18, 3) >>> 4;
  const samples = ((bytes[21] ?? 0) & 15) * 2 ** 32 + bytes.readUInt32BE(22);
  const declared = samples / rate;
  const played = playedSeconds(bytes, rate);
  return declared <= MAX_SECONDS ? Math.max(declared, played) : played;
}

function playedSeconds(bytes: Buffer, fileRate: number): number {
  let seconds = 0;
  let wrong = 0;
  for (let at = MIN_BYTES; at + FIXED_BYTES < bytes.length; ) {
    const isFrame = bytes[at] === 0xff && ((bytes[at + 1] ?? 0) & 0xfe) === 0xf8;
    const frame = isFrame ? frameAt(bytes, at, fileRate) : undefined;
    if (isFrame && !frame) wrong++;
    seconds += frame?.seconds ?? 0;
    if (seconds > MAX_SECONDS || wrong > MAX_WRONG) return MAX_SECONDS;
    at += frame?.headBytes ?? 1;
  }
  // Sums of fractions are not exact, and a begun second counts.
  return Math.round(seconds * 1_000) / 1_000;
}

interface Frame {
  headBytes: number;
  seconds: number;
}

/** Undefined if the head is not valid. */
function frameAt(bytes: Buffer, at: number, fileRate: number): Frame | undefined {
  const codes = bytes[at + 2] ?? 0;
  const [sizeCode, rateCode] = [codes >>> 4, codes & 15];
  if (sizeCode === 0 || rateCode === 15) return undefined;
  const sizeAt = at + FIXED_BYTES + numberBytes(bytes[at + FIXED_BYTES] ?? 0);
  const rateAt = sizeAt + (SIZE_BYTES[sizeCode] ?? 0);
  const end = rateAt + (RATE_BYTES[rateCode] ?? 0);
  if (end >= bytes.length || checksum(bytes, at, end) !== bytes[end]) return undefined;
  const ownRate = SAMPLE_RATES[rateCode] ?? bytes.readUIntBE(rateAt, end - rateAt) * (RATE_UNITS[rateCode] ?? 1);
  // If two rates are stated, the lower one makes the file longer.
  const rate = Math.min(ownRate || fileRate, fileRate || ownRate);
  const samples = rateAt > sizeAt ? bytes.readUIntBE(sizeAt, rateAt - sizeAt) + 1 : samplesBy(sizeCode);
  return rate > 0 ? { headBytes: end + 1 - at, seconds: samples / rate } : undefined;
}

function samplesBy(code: number): number {
  if (code === 1) return 192;
  return code < 8 ? 576 << (code - 2) : 256 << (code - 8);
}

/** The number of a frame is written like a character of UTF-8, and has up to seven bytes. */
function numberBytes(first: number): number {
  return Math.max(1, Math.clz32(~first & 0xff) - 24);
}

/** CRC-8 with the polynomial x⁸ + x² + x + 1. */
function checksum(bytes: Buffer, start: number, end: number): number {
  let sum = 0;
  for (let at = start; at < end; at++) sum = CHECKSUMS[sum ^ (bytes[at] ?? 0)] ?? 0;
  return sum;
}

const CHECKSUMS = Uint8Array.from({ length: 256 }, (_, byte) => {
  let sum = byte;
  for (let bit = 0; bit < 8; bit++) sum = sum & 0x80 ? (sum << 1) ^ 0x07 : sum << 1;
  return sum;
});
