// Width and height as they stand in heads that a browser wrote; nothing where decoders could see something else.

import { describe, expect, test } from 'bun:test';
import { imageSize } from '../../src/kit/image-size.ts';

const SIZE = { width: 37, height: 23 };
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAACUAAAAXCAYAAACMLIalAAAAQklEQVR4AezSsQkAAAgDweD+O+sKX0Z4wS6FnJlNtm0nheNR9ClKKUUFaM5OKUUFaM5O';
const PACKED = 'VlA4IEAAAABQAwCdASolABcAPtFmrFCoJaQipWgBABoJZwDO3oAAK/fDcAD+6zb/7oAFP2f/+hJ/8TZ/xNnwcw1BONYUAAAA';
const LOSSLESS = 'VlA4TA8AAAAvJIAFAAcQ/Y/+ByKi/wEA';
const EXTENDED = 'VlA4WAoAAAAgAAAAJAAAFgAASUNDUMgBAAAA';
const webp = (chunk: string) => `UklGRi4CAABXRUJQ${chunk}`;

const START = [0xff, 0xd8];
const FRAME = [0, 0x11, 8, 0, 23, 0, 37, 3, 1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1];
const segment = (kind: number, bytes: number) => [0xff, kind, bytes >> 8, bytes & 0xff, ...Array(bytes - 2).fill(0xc0)];
const jpeg = (...parts: number[][]) =>
  Buffer.from([...START, ...parts.flat(), ...Array(40).fill(0)]).toString('base64');
const frame = (kind: number) => [0xff, kind, ...FRAME];

test.each([
  ['a PNG', PNG],
  ['a WebP', webp(PACKED)],
  ['a WebP without loss', webp(LOSSLESS)],
  ['a WebP with more than a picture', webp(EXTENDED)],
  ['a JPEG', jpeg(segment(0xe0, 16), frame(0xc0))],
  ['a JPEG that becomes clear bit by bit', jpeg(segment(0xdb, 67), frame(0xc2))],
  ['a JPEG with tables and bytes between', jpeg(segment(0xc4, 31), [0xff, 0xff], frame(0xc1))],
  ['a JPEG of a camera', jpeg(segment(0xe1, 60_000), segment(0xe2, 40_000), frame(0xc0))],
])('is read from the head of %s', (_, base64) => {
  expect(imageSize(base64, 0)).toEqual(SIZE);
  const head = 'data:image/x;base64,';
  expect(imageSize(head + base64, head.length)).toEqual(SIZE);
});

describe('is not known', () => {
  test.each([
    ['of an address', 'https://example.test/a.png'],
    ['of nothing', ''],
    [
      'of a GIF',
      'R0lGODlhJQAXAPAAAP8AAAAAACH5BAAAAAAALAAAAAAlABcAAAIghI+py+0Po5y02ouz3rz7D4biSJbmiabqyrbuC8fyUwAAOw==',
    ],
    ['of words', 'QUJD'.repeat(100)],
    ['of a head that ends too early', PNG.slice(0, 24)],
    ['of base64 with spaces', PNG.replace('AAAA', 'AA AA')],
    ['of base64 that ends in its midst', PNG.replace('AAAA', 'AAA=')],
    ['of another base64', webp(PACKED).replaceAll('/', '_')],
    ['of a PNG that begins with another chunk', PNG.replace('SUhEUg', 'Q2dCSQ')],
    ['of a JPEG whose picture begins before', jpeg(segment(0xda, 12), frame(0xc0))],
    ['of a JPEG that loses its way', jpeg([0, 0], frame(0xc0))],
    ['of a JPEG without height', jpeg([0xff, 0xc0, 0, 0x11, 8, 0, 0, 0, 37])],
    ['of a JPEG that tells it very late', jpeg(...Array(5).fill(segment(0xe1, 60_000)), frame(0xc0))],
  ])('%s', (_, data) => expect(imageSize(data, 0)).toBeUndefined());
});
