// The length of recordings: exact where it cannot be faked, a bound by bytes elsewhere.

import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { audioLength } from '../../src/kit/audio/audio-length.ts';
import { flacOf, m4aOf, mp3Of, opusOf, wavOf } from '../support/recordings.ts';

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

test.each([
  ['frames', [], 0],
  // A tag, and a frame after it.
  ['a tag', [...Buffer.from('ID3\x04\0\0', 'latin1'), 11, 56, 108, 0], 24_000_010],
])('25 MB of what is nearly %s take little time', (_name, head, first) => {
  const hostile = new Uint8Array(25_000_000).fill(0xff);
  hostile.set(head);
  hostile.set(mp3Of(2_000).subarray(0, hostile.length - first), first);
  const started = performance.now();
  audioLength(hostile);
  expect(performance.now() - started).toBeLessThan(5_000);
});
