// The length of recordings: exact where it cannot be faked, a bound by bytes elsewhere.

import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { audioLength } from '../../src/kit/audio/audio-length.ts';
import { checksumOf, flacOf, m4aOf, mp3Of, opusOf, silentFlacOf, wavOf } from '../support/recordings.ts';

const ID3 = new Uint8Array([...Buffer.from('ID3\x04\0\0', 'latin1'), 0, 0, 1, 0, ...new Array(128).fill(7)]);
/** Of the length of 900 frames, in bytes that no tag has: to decoders the frames begin at once. */
const NO_ID3 = new Uint8Array([...Buffer.from('ID3\x04\0\0', 'latin1'), 0x80, 0x96, 0xf4, 0x84]);

describe('exact', () => {
  test.each([
    ['a WAV of 3.2 s', wavOf(3.2), 4],
    ['a WAV of 48 kHz', wavOf(10, 48_000), 10],
    ['an MP3 of 1,000 frames', mp3Of(1_000), 27],
    ['an MP3 after a tag', mp3Of(1_000, ID3), 27],
  ])('%s', (_name, bytes, seconds) => {
    expect(audioLength(bytes)).toEqual({ likely: seconds, most: seconds + 1 });
  });
});

describe('declared', () => {
  test.each([
    ['FLAC', flacOf(60, 44_100, 3_000_000), 60],
    ['Opus in Ogg', opusOf(60, 240_000), 60],
    ['M4A', m4aOf(60, 480_000), 60],
  ])('%s: likely as declared, at most what the bytes hold', (_name, bytes, seconds) => {
    expect(audioLength(bytes)).toEqual({ likely: seconds, most: Math.ceil(bytes.length / 1_000) });
  });

  test.each([
    ['FLAC', flacOf(7_200, 16_000, 400_000)],
    ['FLAC that declares no length', silentFlacOf((7_200 * 16_000) / 4_096, 16_000)],
    ['Opus in Ogg', opusOf(7_200, 100_000)],
    ['M4A', m4aOf(7_200, 400_000)],
  ])('%s: silence of two hours is held for, though it has few bytes', (_name, bytes) => {
    expect(audioLength(bytes)).toEqual({ likely: 7_200, most: 7_201 });
  });

  test.each([
    ['a length of weeks', m4aOf(4_000_000, 8_000)],
    ['no length', opusOf(0, 8_000)],
    ['another container', new Uint8Array(Buffer.concat([Buffer.from([0x1a, 0x45, 0xdf, 0xa3]), Buffer.alloc(8_000)]))],
    ['what is nearly a tag', mp3Of(1_000, NO_ID3)],
    ['an MP3 frame before something else', new Uint8Array(Buffer.concat([mp3Of(1), Buffer.alloc(8_000)]))],
  ])('%s is not trusted', (_name, bytes) => {
    const { likely, most } = audioLength(bytes);
    expect(most).toBe(Math.ceil(bytes.length / 1_000));
    expect(likely).toBeLessThanOrEqual(most);
  });
});

test('the frames of a FLAC are found by heads as in RFC 9639', () => {
  const head = [0xff, 0xf8, 0x69, 0x18, 0x00, 0x00];
  expect(checksumOf(new Uint8Array(head))).toBe(0xbf);
  const shortest = Buffer.from([...head, 0xbf, 0x03, 0x58, 0xfd, 0x03, 0x12, 0x8b, 0xaa, 0x9a]);
  const file = (frames: number) => Buffer.concat([flacOf(0, 44_100, 42), ...Array(frames).fill(shortest)]);
  // One sample each.
  expect(audioLength(new Uint8Array(file(88_200))).likely).toBe(2);
});

test('silence in a FLAC is held for as far as it can be', () => {
  expect(audioLength(silentFlacOf(1_000_000, 1)).most).toBe(1_000_001);
});

test('any bytes have a length of at least a second, and none that is longer than its bound', () => {
  const heads = ['RIFF\0\0\0\0WAVEfmt ', 'fLaC', 'OggS', '\0\0\0\x18ftyp', 'ID3', '\xff\xfb\x90\x64'];
  fc.assert(
    fc.property(fc.constantFrom('', ...heads), fc.uint8Array({ maxLength: 300 }), (head, rest) => {
      const { likely, most } = audioLength(new Uint8Array(Buffer.concat([Buffer.from(head, 'latin1'), rest])));
      expect(Number.isInteger(likely) && Number.isInteger(most)).toBe(true);
      expect(1 <= likely && likely <= most).toBe(true);
    }),
    { numRuns: 3_000 },
  );
});

const MP3_FRAME = Buffer.from([0xff, 0xfb, 0x90, 0x64]);

test.each<[name: string, filler: number[], head: Buffer, frameAt: number]>([
  ['an MP3', [0xff], MP3_FRAME, 0],
  ['an MP3 after a tag', [0xff], Buffer.from('ID3\x04\0\0\x0b\x38\x6c\0', 'latin1'), 24_000_010],
  ['a FLAC', [0xff, 0xf8, 0xc9, 0x18, 0, 0], Buffer.from('fLaC'), 24_000_000],
])('25 MB of what is nearly %s take little time', (_name, filler, head, frameAt) => {
  const hostile = new Uint8Array(Buffer.alloc(25_000_000, Buffer.from(filler)));
  hostile.set(head);
  hostile.set(MP3_FRAME, frameAt);
  const started = performance.now();
  audioLength(hostile);
  expect(performance.now() - started).toBeLessThan(5_000);
});
