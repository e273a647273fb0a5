// How long a recording is, from its bytes: an estimate, and an upper bound. A WAV has as many samples as bytes for them, and an
// MP3 as many frames as can be found. The bound of others is what their bytes hold at the lowest rate that speech is packed at,
// or the length that is declared (or found in a FLAC) where that is more, because silence takes hardly any bytes.

import { waveBytesPerSecond } from '../wave-head.ts';
import { declaredSeconds } from './declared-seconds.ts';
import { mp3Seconds } from './mp3-seconds.ts';

export interface AudioLength {
  /** Likely, in whole seconds. */
  likely: number;
  /** At most, in whole seconds. */
  most: number;
}

/** 8 kbit/s, as the lowest rates of MP3 and Opus for speech. */
const MIN_BYTES_PER_SECOND = 1_000;
/** 64 kbit/s, as voice recorders use. */
const USUAL_BYTES_PER_SECOND = 8_000;

const WAVE_HEAD_BYTES = 44;
/** Decoders may add a few samples at the ends, which begin another second. */
const ROUNDING = 1;

export function audioLength(bytes: Uint8Array): AudioLength {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const wave = waveBytesPerSecond(buffer);
  const exact = wave === undefined ? mp3Seconds(buffer) : (bytes.length - WAVE_HEAD_BYTES) / wave;
  if (exact !== undefined) return { likely: whole(exact), most: whole(exact) + ROUNDING };
  const declared = declaredSeconds(buffer);
  const most = Math.max(bytes.length / MIN_BYTES_PER_SECOND, (declared ?? 0) + ROUNDING);
  return { likely: whole(declared ?? bytes.length / USUAL_BYTES_PER_SECOND), most: whole(most) };
}

/** Begun seconds count as whole ones. */
function whole(seconds: number): number {
  return Math.max(1, Math.ceil(seconds));
}
