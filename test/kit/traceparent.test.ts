// W3C Trace Context: what is valid is read, what is not is as if it were not there.
import { describe, expect, test } from 'bun:test';
import { readTrace, writeTrace } from '../../src/kit/traceparent.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';
const random = (byte: number) => ({ bytes: (length: number) => new Uint8Array(length).fill(byte), fraction: () => 0 });

describe('is read', () => {
  test.each([
    [`00-${TRACE}-${SPAN}-01`, '01'],
    [`00-${TRACE}-${SPAN}-00`, '00'],
    [`00-${TRACE}-${SPAN}-03`, '03'],
    // Bits that mean nothing yet are not passed on.
    [`00-${TRACE}-${SPAN}-ff`, '03'],
    [`01-${TRACE}-${SPAN}-01`, '01'],
    [`cc-${TRACE}-${SPAN}-01-what-the-future-brings`, '01'],
  ])('%s', (header, flags) => expect(readTrace(header)).toEqual({ traceId: TRACE, flags }));
});

describe('is as if it were not there', () => {
  test.each([
    null,
    '',
    'nonsense',
    `00-${TRACE}-${SPAN}`,
    `00-${TRACE}-${SPAN}-01-more`,
    `00-${TRACE}-${SPAN}-01-`,
    `00-${TRACE}-${SPAN}-1`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `00-${TRACE.slice(1)}-${SPAN}-01`,
    `00-${TRACE}0-${SPAN}-01`,
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `ff-${TRACE}-${SPAN}-01`,
    `cc-${TRACE}-${SPAN}-01.more`,
    ` 00-${TRACE}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-0g`,
    `00-${TRACE}-${SPAN}-01\n`,
  ])('%j', (header) => expect(readTrace(header)).toBeUndefined());
});

test('is written with a span of ours, which is never all zero', () => {
  const trace = { traceId: TRACE, flags: '01' };
  expect(writeTrace(trace, random(0xab))).toBe(`00-${TRACE}-abababababababab-01`);
  expect(writeTrace(trace, random(0))).toBe(`00-${TRACE}-0100000000000000-01`);
  expect(readTrace(writeTrace(trace, random(0)))).toEqual(trace);
});
