// What the bytes of a part are. A size is taken from them only where nothing else could be read from them.

import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { sniffMedia } from '../../../src/dialects/media/sniff-media.ts';
import { IMAGES, OPEN_FILES, png, wave } from '../../support/media-samples.ts';

const base64 = (bytes: Buffer) => bytes.toString('base64');
const address = (bytes: Buffer, label = '') => `data:${label};base64,${base64(bytes)}`;
const TEXT = Buffer.from('name,city\nMei,臺北\n');

describe('an image', () => {
  test.each(Object.entries(IMAGES))('is one by its bytes: %s', (_, bytes) => {
    expect(sniffMedia(base64(bytes))).toBe('image');
    expect(sniffMedia(address(bytes, 'image/png'))).toBe('image');
    expect(sniffMedia(address(bytes, 'application/octet-stream'), { fileName: 'a.png' })).toBe('image');
    expect(sniffMedia(base64(bytes).replace(/(.{20})/g, '$1\n'))).toBe('image');
  });

  test.each([
    [{ mediaType: 'application/pdf' }],
    [{ mediaType: 'video/mp4' }],
    [{ fileName: 'report.docx' }],
    [{ fileName: 'a.PDF' }],
  ])('is open where the client calls it something else: %j', (claims) => {
    expect(sniffMedia(base64(png(8, 8)), claims)).toBe('open');
  });

  test('is open where a PDF begins in it', () => {
    expect(sniffMedia(base64(Buffer.concat([png(8, 8), Buffer.from('tEXt%PDF-1.7')])))).toBe('open');
  });
});

describe('text', () => {
  test.each([{}, { mediaType: 'text/csv' }, { mediaType: 'application/json; charset=utf-8' }, { fileName: 'a.rb' }])(
    'is text: %j',
    (claims) => {
      expect(sniffMedia(base64(TEXT), claims)).toBe('text');
      expect(sniffMedia(address(TEXT), claims)).toBe('text');
    },
  );

  test.each([{ mediaType: 'application/pdf' }, { fileName: 'a.pdf' }, { fileName: 'a.eml' }, { fileName: 'a.xls' }])(
    'is open where a program unpacks it: %j',
    (claims) => expect(sniffMedia(base64(TEXT), claims)).toBe('open'),
  );

  test.each([
    ['data:text/plain,Hello%20there', 'text'],
    ['data:,Hello', 'text'],
    ['data:image/svg+xml,%3Csvg%2F%3E', 'text'],
    ['data:application/pdf,Hello', 'open'],
    ['data:text/plain,%25PDF-1.4', 'open'],
    ['data:text/plain,%25%50%44%46-1.4', 'open'],
    ['data:,PK%03%04%14%00', 'open'],
  ])('may stand in the address itself: %s', (data, kind) => expect(sniffMedia(data)).toBe(kind as never));
});

describe('a wave', () => {
  test.each([
    ['as telephones record it', wave(1, { samples: 8_000, bits: 8 })],
    ['of a studio', wave(1, { channels: 2, samples: 96_000, bits: 32, code: 3 })],
    ['with notes before its data', wave(1, { between: [Buffer.from('LIST\x04\0\0\0INFO')] })],
  ])('is one: %s', (_, bytes) => {
    expect(sniffMedia(base64(bytes))).toBe('wave');
    expect(sniffMedia(address(bytes, 'audio/wav'), { fileName: 'a.wav' })).toBe('wave');
    expect(sniffMedia(address(bytes, 'video/mp4'))).toBe('open');
  });
});

describe('everything else', () => {
  const LABELS = ['', 'image/png', 'text/plain', 'audio/wav', 'application/octet-stream'];

  test.each(Object.entries(OPEN_FILES))('is open, whatever it is called: %s', (_, bytes) => {
    expect(sniffMedia(base64(bytes))).toBe('open');
    for (const label of LABELS) expect(sniffMedia(address(bytes, label))).toBe('open');
  });

  test.each(['', 'not base64!', 'data:', 'data:;base64,', '%%%%', 'file-1 2', `iVBORw0KGgo=${base64(TEXT)}`])(
    'is open if it is no base64: %j',
    (data) => expect(sniffMedia(data)).toBe('open'),
  );

  test('never throws, and never sizes what may be a document or a sound', () => {
    const heads = [...Object.values(OPEN_FILES), ...Object.values(IMAGES), Buffer.alloc(0)];
    const files = fc.tuple(fc.constantFrom(...heads), fc.uint8Array({ maxLength: 80 }), fc.nat(40));
    fc.assert(
      fc.property(files, fc.string(), fc.string(), ([head, tail, cut], mediaType, fileName) => {
        const bytes = Buffer.concat([head.subarray(0, Math.max(0, head.length - cut)), tail]);
        const kind = sniffMedia(base64(bytes), { mediaType, fileName });
        expect(['image', 'text', 'wave', 'open']).toContain(kind);
        if (kind === 'text') expect(new TextDecoder('utf-8', { fatal: true }).decode(bytes)).not.toContain('%PDF-');
      }),
    );
    fc.assert(fc.property(fc.string(), (text) => void sniffMedia(text)));
    fc.assert(fc.property(fc.string(), (text) => void sniffMedia(`data:${text}`)));
  });
});
