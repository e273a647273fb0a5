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
const LAYER_3 = 1;
const HEAD_BYTES = 4;
const TAG_BYTES = 10;
/** Frames must be nearly all of the file: other bytes may be sound to another decoder. */
const MAX_OTHER = 0.05;

/** Undefined if it is not an MP3, or not only. Frames in the tag count, too: to some decoders it may be no tag. */
export function mp3Seconds(bytes: Buffer): number | undefined {
  const start = tagLength(bytes);
  const rest = bytes.length - start;
  if (!frameAt(bytes, start)) return undefined;
  let seconds = 0;
  let others = 0;
  for (let at = 0; at + HEAD_BYTES <= bytes.length; ) {
    const frame = frameAt(bytes, at);
    if (!frame && at >= start && ++others > rest * MAX_OTHER) return undefined;
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
  if (bytes[at] !== 0xff || at + HEAD_BYTES > bytes.length) return undefined;
  const head = bytes.readUInt32BE(at);
  const [version, layer] = [(head >>> 19) & 3, (head >>> 17) & 3];
  const sampleRate = SAMPLE_RATES[version]?.[(head >>> 10) & 3];
  const rate = (version === MPEG_1 ? RATES_1 : RATES_2)[(head >>> 12) & 15];
  if (head >>> 21 !== 0x7ff || layer !== LAYER_3 || !sampleRate || !rate) return undefined;
  const samples = version === MPEG_1 ? 1_152 : 576;
  const padding = (head >>> 9) & 1;
  return { bytes: Math.floor((samples * rate * 125) / sampleRate) + padding, seconds: samples / sampleRate };
}

/** Of the ID3v2 tag before the first frame: its size has seven bits in each byte. */
function tagLength(bytes: Buffer): number {
  if (bytes.length < TAG_BYTES || bytes.toString('latin1', 0, 3) !== 'ID3') return 0;
  const size = [6, 7, 8, 9].reduce((sum, at) => (sum << 7) | ((bytes[at] ?? 0) & 0x7f), 0);
  return Math.min(TAG_BYTES + size, bytes.length);
}
