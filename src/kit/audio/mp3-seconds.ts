// The length of an MP3 by its frames, which is what decoders play, whatever a header in front of them declares.

/** In kbit/s, by the index in a frame's head; of MPEG 1, and of MPEG 2 and 2.5. */
const RATES_1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const RATES_2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
/** In Hz, by version and index. */
const SAMPLE_RATES: Readonly<Record<number, readonly number[]>> = {
  3: [44_100, 48_000, 32_000],
  2: [22_050, 24_000, 16_000],
  0: [11_025, 12_000, 8_000],
};
const MPEG_1 = 3;
/** In the second byte of a head: the end of the sync word, and the layer. */
const SYNC_AND_LAYER = 0b1110_0110;
const LAYER_3 = 0b1110_0010;
const HEAD_BYTES = 4;
const TAG_BYTES = 10;
/** Frames must be nearly all of the file: other bytes may be sound to another decoder. */
const MAX_OTHER = 0.05;

/** Undefined if it is not an MP3, or not only. */
export function mp3Seconds(bytes: Buffer): number | undefined {
  const start = tagLength(bytes);
  const rest = bytes.length - start;
  if (!frameAt(bytes, start)) return undefined;
  let seconds = 0;
  let others = 0;
  for (let at = start; at + HEAD_BYTES <= bytes.length; ) {
    const frame = frameAt(bytes, at);
    if (!frame && ++others > rest * MAX_OTHER) return undefined;
    seconds += frame?.seconds ?? 0;
    at += frame?.bytes ?? 1;
  }
  return seconds;
}

interface Frame {
  bytes: number;
  seconds: number;
}

function frameAt(bytes: Buffer, at: number): Frame | undefined {
  // Asked for every byte of a file that is no MP3, so most are refused at once.
  if (bytes[at] !== 0xff || at + HEAD_BYTES > bytes.length) return undefined;
  const kind = bytes[at + 1] ?? 0;
  if ((kind & SYNC_AND_LAYER) !== LAYER_3) return undefined;
  const coding = bytes[at + 2] ?? 0;
  const version = (kind >>> 3) & 3;
  const sampleRate = SAMPLE_RATES[version]?.[(coding >>> 2) & 3];
  const rate = (version === MPEG_1 ? RATES_1 : RATES_2)[coding >>> 4];
  if (!sampleRate || !rate) return undefined;
  const samples = version === MPEG_1 ? 1_152 : 576;
  const padding = (coding >>> 1) & 1;
  return { bytes: Math.floor((samples * rate * 125) / sampleRate) + padding, seconds: samples / sampleRate };
}

/** Length of the ID3v2 tag before the first frame. Its size has seven bits in each byte; decoders ignore other tags. */
function tagLength(bytes: Buffer): number {
  if (bytes.length < TAG_BYTES || bytes.toString('latin1', 0, 3) !== 'ID3') return 0;
  const sizes = [...bytes.subarray(6, TAG_BYTES)];
  if (bytes[3] === 0xff || bytes[4] === 0xff || sizes.some((byte) => byte > 0x7f)) return 0;
  const size = sizes.reduce((sum, byte) => (sum << 7) | byte, 0);
  return Math.min(TAG_BYTES + size, bytes.length);
}
