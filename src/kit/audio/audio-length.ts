// How long a recording is, from its bytes: an estimate, and an upper bound. A WAV has as many samples as bytes for them, and an
// MP3 as many frames as can be found. The bound of others is what their bytes hold at the lowest rate that speech is packed at,
// or the length that is declared (or found in a FLAC) where that is more, because silence takes hardly any bytes.

import { waveBytesPerSecond } from '../wave-head.ts';
import { flacSeconds, MAX_SECONDS } from './flac-seconds.ts';
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

const MAX_BOXES = 1_000;
/** No head is longer that is read here; the last page of an Ogg file is within so many bytes of its end. */
const OGG_PAGE_BYTES = 65_307;
const OPUS_RATE = 48_000;
/** 1.6 Mbit/s. */
const MAX_BYTES_PER_SECOND = 200_000;

/**
 * The length that a container declares: Ogg and MP4. Anyone can declare anything, so it is no bound; but its bytes cannot last
 * for less than they do at a rate above that of uncompressed CDs. FLAC has a length that can be found by its frames.
 * Undefined if it declares nothing that can be read.
 */
function declaredSeconds(bytes: Buffer): number | undefined {
  const flac = flacSeconds(bytes);
  const found = flac ?? oggSeconds(bytes) ?? mp4Seconds(bytes);
  if (found === undefined || !(found > 0 && found <= MAX_SECONDS)) return undefined;
  return flac ?? Math.max(found, bytes.length / MAX_BYTES_PER_SECOND);
}

/** The last page has the position of its last sample. */
function oggSeconds(bytes: Buffer): number | undefined {
  if (bytes.toString('latin1', 0, 4) !== 'OggS') return undefined;
  const last = bytes.lastIndexOf('OggS');
  if (last + 14 > bytes.length || bytes.length - last > OGG_PAGE_BYTES) return undefined;
  const samples = Number(bytes.readBigUInt64LE(last + 6));
  const head = bytes.subarray(0, 100);
  const vorbis = head.indexOf('\u0001vorbis');
  if (vorbis >= 0 && vorbis + 16 <= head.length) return samples / head.readUInt32LE(vorbis + 12);
  return head.includes('OpusHead') ? samples / OPUS_RATE : undefined;
}

/** `moov` holds `mvhd`, with a number of units for each second and the length in units. */
function mp4Seconds(bytes: Buffer): number | undefined {
  if (bytes.toString('latin1', 4, 8) !== 'ftyp') return undefined;
  const movie = boxIn(bytes, 'moov');
  const head = movie && boxIn(movie, 'mvhd');
  if (!head || head.length < 32) return undefined;
  return head[0] === 1
    ? Number(head.readBigUInt64BE(24)) / head.readUInt32BE(20)
    : head.readUInt32BE(16) / head.readUInt32BE(12);
}

/** The content of the first box of this type. */
function boxIn(bytes: Buffer, type: string): Buffer | undefined {
  let at = 0;
  for (let boxes = 0; boxes < MAX_BOXES && at + 16 <= bytes.length; boxes++) {
    const short = bytes.readUInt32BE(at);
    const head = short === 1 ? 16 : 8;
    const size = short === 1 ? Number(bytes.readBigUInt64BE(at + 8)) : short === 0 ? bytes.length - at : short;
    if (size < head) return undefined;
    if (bytes.toString('latin1', at + 4, at + 8) === type) return bytes.subarray(at + head, at + size);
    at += size;
  }
  return undefined;
}
