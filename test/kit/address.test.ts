import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { isInside, limitSubject, parseAddress, parseNetwork } from '../../src/kit/address.ts';

const subject = (text: string) => {
  const address = parseAddress(text);
  return address && limitSubject(address);
};
const inside = (address: string, network: string) => {
  const [one, all] = [parseAddress(address), parseNetwork(network)];
  if (!one || !all) throw new Error(`not an address and a network: ${address} ${network}`);
  return isInside(one, all);
};

const octet = fc.integer({ min: 0, max: 255 });
const group = fc.integer({ min: 0, max: 0xffff });
const v4 = fc.tuple(octet, octet, octet, octet);
const hex = (value: number) => value.toString(16);

describe('IPv4', () => {
  test('is its four bytes', () => {
    fc.assert(
      fc.property(v4, (octets) => {
        const bits = octets.reduce((value, one) => value * 256n + BigInt(one), 0n);
        expect(parseAddress(octets.join('.'))).toEqual({ bits, family: 4 });
      }),
    );
  });

  test.each([
    '',
    '1.2.3',
    '1.2.3.4.5',
    '1.2.3.256',
    '1.2.3.-1',
    '01.2.3.4',
    '1.2.3.4 ',
    ' 1.2.3.4',
    '1.2.3.4%eth0',
    '1.2.3.4:80',
    '0x1.2.3.4',
    '1..3.4',
    '16909060',
    'localhost',
    'unknown',
  ])('%p is none', (text) => expect(parseAddress(text)).toBeUndefined());

  test('limits count each address by itself', () => {
    expect(subject('192.0.2.1')).not.toBe(subject('192.0.2.2'));
  });
});

describe('IPv4 inside IPv6', () => {
  test('every spelling of a mapped address is the IPv4 address', () => {
    fc.assert(
      fc.property(v4, ([a, b, c, d]) => {
        const plain = `${a}.${b}.${c}.${d}`;
        const high = hex(a * 256 + b);
        const low = hex(c * 256 + d);
        const spellings = [
          `::ffff:${plain}`,
          `::FFFF:${plain}`,
          `::ffff:${high}:${low}`,
          `0:0:0:0:0:ffff:${high}:${low}`,
          `0000:0000:0000:0000:0000:FFFF:${high.padStart(4, '0')}:${low.padStart(4, '0').toUpperCase()}`,
          `0::ffff:${plain}`,
          `0:0:0::ffff:${high}:${low}`,
          `::0:ffff:${plain}`,
          `0:0:0:0:0:ffff:${plain}`,
          `::ffff:${plain}%eth0`,
        ];
        for (const spelling of spellings) expect(parseAddress(spelling)).toEqual(parseAddress(plain));
      }),
    );
  });

  test('neighbours of the mapped range are IPv6', () => {
    for (const text of ['::1.2.3.4', '::fffe:1.2.3.4', '::1:ffff:1.2.3.4', '64:ff9b::1.2.3.4', '::ffff:0:1.2.3.4']) {
      expect(parseAddress(text)?.family).toBe(6);
    }
  });

  test.each(['1.2.3.4::', '::1.2.3.4:1', '1:1.2.3.4::1', '::ffff:1.2.3', '::ffff:1.2.3.256', '::ffff:01.2.3.4'])(
    '%p is none',
    (text) => expect(parseAddress(text)).toBeUndefined(),
  );
});

describe('IPv6', () => {
  const groups = fc.array(group, { minLength: 8, maxLength: 8 }).filter((all) => all.slice(0, 5).some(Boolean));

  test('every spelling has the same bits, wherever the zeros are left out', () => {
    fc.assert(
      fc.property(groups, fc.nat({ max: 7 }), fc.integer({ min: 1, max: 8 }), (all, start, length) => {
        const end = Math.min(8, start + length);
        const zeroed = all.map((one, at) => (at >= start && at < end ? 0 : one));
        const bits = zeroed.reduce((value, one) => (value << 16n) | BigInt(one), 0n);
        fc.pre(bits >> 32n !== 0xffffn);
        const texts = zeroed.map(hex);
        const short = `${texts.slice(0, start).join(':')}::${texts.slice(end).join(':')}`;
        const long = zeroed.map((one) => hex(one).padStart(4, '0').toUpperCase()).join(':');
        expect(parseAddress(long)).toEqual({ bits, family: 6 });
        expect(parseAddress(short)).toEqual({ bits, family: 6 });
        expect(parseAddress(`${short}%en0`)).toEqual({ bits, family: 6 });
      }),
    );
  });

  test('limits count one network of 64 bits as one', () => {
    expect(subject('2001:db8:1:2::1')).toBe(subject('2001:DB8:1:2:ffff:ffff:ffff:ffff'));
    expect(subject('2001:db8:1:2::1')).toBe(subject('2001:0db8:0001:0002:0:0:0:1%eth0'));
    expect(subject('2001:db8:1:2::1')).not.toBe(subject('2001:db8:1:3::1'));
  });

  test('an IPv6 network is never taken for an IPv4 address', () => {
    expect(subject('0:0:0:1::')).not.toBe(subject('0.0.0.1'));
  });

  test.each([
    ':',
    ':::',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '1:2:3:4:5:6:7:8::',
    '::1:2:3:4:5:6:7:8',
    '1::2::3',
    '12345::',
    'g::1',
    '[::1]',
    '::1/64',
    ':1:2:3:4:5:6:7:8',
    '1:2:3:4:5:6:7:8:',
    '-1::',
    '::1%eth0\n',
  ])('%p is none', (text) => expect(parseAddress(text)).toBeUndefined());

  test('no text makes it throw', () => {
    const near = fc.string({ unit: fc.constantFrom(...'0123456789abcdefABCDEF:.%/[] \n') });
    fc.assert(
      fc.property(fc.oneof(near, fc.string()), (text) => {
        const address = parseAddress(text);
        parseNetwork(text);
        if (address) expect(address.bits >> BigInt(address.family === 4 ? 32 : 128)).toBe(0n);
      }),
    );
  });
});

describe('networks', () => {
  test('a prefix covers exactly its addresses', () => {
    expect(inside('10.255.255.255', '10.0.0.0/8')).toBe(true);
    expect(inside('11.0.0.0', '10.0.0.0/8')).toBe(false);
    expect(inside('10.1.2.3', '10.1.2.3')).toBe(true);
    expect(inside('10.1.2.4', '10.1.2.3')).toBe(false);
    expect(inside('203.0.113.9', '0.0.0.0/0')).toBe(true);
    expect(inside('2001:db8::1', '2001:db8::/32')).toBe(true);
    expect(inside('2001:db9::1', '2001:db8::/32')).toBe(false);
    expect(inside('::1', '::1/128')).toBe(true);
  });

  test('host bits in a network do not matter', () => {
    expect(inside('10.9.9.9', '10.1.2.3/8')).toBe(true);
  });

  test('a mapped address is inside the IPv4 network, however either is spelt', () => {
    expect(inside('::ffff:10.1.2.3', '10.0.0.0/8')).toBe(true);
    expect(inside('10.1.2.3', '::ffff:10.0.0.0/104')).toBe(true);
    expect(inside('11.1.2.3', '::ffff:10.0.0.0/104')).toBe(false);
    expect(inside('10.1.2.3', '::ffff:0:0/96')).toBe(true);
  });

  test('families do not mix', () => {
    expect(inside('::', '0.0.0.0/0')).toBe(false);
    expect(inside('0.0.0.0', '::/0')).toBe(false);
  });

  test.each([
    '',
    '/',
    '/8',
    '10.0.0.0/',
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '10.0.0.0/8/8',
    '10.0.0.0/8.5',
    '10.0.0.0/ 8',
    '::/129',
    '::ffff:10.0.0.0/95',
    'example.com/8',
  ])('%p is none', (text) => expect(parseNetwork(text)).toBeUndefined());
});
