import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  formatNtd,
  MAX_NANO,
  maxNano,
  minNano,
  moneyCell,
  moneyFields,
  NANO_PER_NTD,
  nanoOfJson,
  ntdNumber,
  parseNtd,
} from '../../src/kit/money.ts';

const amount = fc.bigInt({ min: -MAX_NANO, max: MAX_NANO });

describe('parse and format', () => {
  test('every amount survives conversion to text and back', () => {
    fc.assert(fc.property(amount, (nano) => parseNtd(formatNtd(nano)) === nano));
  });

  test('the text is the exact decimal, without trailing zeros and without an exponent', () => {
    fc.assert(
      fc.property(amount, (nano) => {
        const text = formatNtd(nano);
        expect(text).toMatch(/^-?(0|[1-9]\d*)(\.\d{0,8}[1-9])?$/);
        const [whole = '', fraction = ''] = text.replace('-', '').split('.');
        const digits = BigInt(whole + fraction.padEnd(9, '0'));
        expect(text.startsWith('-') ? -digits : digits).toBe(nano);
      }),
    );
  });

  test('any plain decimal of up to nine places is read digit by digit', () => {
    const whole = fc.bigInt({ min: 0n, max: 9_223_372_035n });
    const places = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 9 });
    fc.assert(
      fc.property(fc.boolean(), whole, places, (negative, ntd, digits) => {
        const text = `${negative ? '-' : ''}${ntd}.${digits.join('')}`;
        const nano = ntd * NANO_PER_NTD + BigInt(digits.join('').padEnd(9, '0'));
        expect(parseNtd(text)).toBe(negative ? -nano : nano);
      }),
    );
  });

  test('no float is involved: sums that floats get wrong come out exact', () => {
    expect((parseNtd('0.1') ?? 0n) + (parseNtd('0.2') ?? 0n)).toBe(300_000_000n);
    expect(parseNtd('9007199.254740993')).toBe(9_007_199_254_740_993n);
    expect(parseNtd('9223372036.854775807')).toBe(MAX_NANO);
    expect(formatNtd(MAX_NANO)).toBe('9223372036.854775807');
    expect(formatNtd(1n)).toBe('0.000000001');
    expect(formatNtd(-500_000_000n)).toBe('-0.5');
    expect(formatNtd(0n)).toBe('0');
  });
});

describe('a JSON number', () => {
  test('is read to its last digit, in whatever form it is written', () => {
    const positive = fc.bigInt({ min: 0n, max: MAX_NANO });
    const shift = fc.integer({ min: 0, max: 25 });
    fc.assert(
      fc.property(positive, shift, fc.boolean(), (nano, places, isNegative) => {
        const digits = nano.toString().padStart(places + 1, '0');
        const split = digits.length - places;
        const fraction = places === 0 ? '' : `.${digits.slice(split)}`;
        const text = `${isNegative ? '-' : ''}${digits.slice(0, split)}${fraction}e${places - 9}`;
        expect(nanoOfJson(text)).toBe(isNegative ? -nano : nano);
      }),
    );
  });

  test.each([
    ['below a nano', '1e-10', 'too_fine'],
    ['below a nano after very many zeros', `1.${'0'.repeat(60_000)}1`, 'too_fine'],
    ['above the most', '9223372036.854775808', 'too_large'],
    ['with very many digits in its exponent', `1e${'9'.repeat(400)}`, 'too_large'],
    ['empty', '', undefined],
    ['in quotes', '"5"', undefined],
  ] as const)('that is no amount: %s', (_, text, problem) => expect(nanoOfJson(text)).toBe(problem));
});

describe('what is no plain decimal is refused', () => {
  test.each([
    '',
    ' ',
    ' 1',
    '1 ',
    '1\n',
    '.',
    '.5',
    '5.',
    '+1',
    '--1',
    '1,000',
    '1_000',
    '0x10',
    '1e3',
    '1E3',
    '1e400',
    '1e-7',
    'NaN',
    'Infinity',
    '-Infinity',
    'NT$1',
    '１',
    '1.0000000001',
    '9223372036.854775808',
    '-9223372036.854775808',
    '99999999999999999999',
  ])('%p', (text) => expect(parseNtd(text)).toBeUndefined());

  test('more decimals than allowed, even zeros', () => {
    expect(parseNtd('8.125', 3)).toBe(8_125_000_000n);
    expect(parseNtd('8.1250', 3)).toBeUndefined();
    expect(parseNtd('8.0', 0)).toBeUndefined();
  });

  test('whatever is accepted is a plain decimal', () => {
    const digits = fc.string({ unit: fc.constantFrom(...'0123456789.-+eE xNa'), maxLength: 20 });
    fc.assert(
      fc.property(fc.oneof(digits, fc.string()), (text) => {
        fc.pre(parseNtd(text) !== undefined);
        expect(text).toMatch(/^-?\d+(\.\d{1,9})?$/);
      }),
    );
  });
});

describe('JSON fields', () => {
  test('the number is the nearest one to the exact value, which stands beside it', () => {
    fc.assert(
      fc.property(amount, (nano) => {
        const fields = moneyFields('cost', nano);
        expect(fields.cost_nano).toBe(nano.toString());
        expect(fields.cost_ntd).toBe(Number.parseFloat(formatNtd(nano)));
        expect(ntdNumber(nano)).toBe(fields.cost_ntd);
      }),
    );
  });

  test('the number prints as people write it', () => {
    expect(JSON.stringify(moneyFields('balance', 998_765_432n))).toBe(
      '{"balance_ntd":0.998765432,"balance_nano":"998765432"}',
    );
    expect(JSON.stringify(ntdNumber(300_000_000n))).toBe('0.3');
  });
});

test('least and greatest of amounts too large for a number', () => {
  expect(minNano(MAX_NANO, MAX_NANO - 1n)).toBe(MAX_NANO - 1n);
  expect(maxNano(MAX_NANO - 1n, MAX_NANO)).toBe(MAX_NANO);
  expect(minNano(3n)).toBe(3n);
});

describe('a cell of our own text', () => {
  test.each([
    [0n, 0],
    [2n ** 53n - 1n, 9_007_199_254_740_991],
    [2n ** 53n, '9007199254740992'],
    [MAX_NANO, '9223372036854775807'],
  ])('of %p is a number only where that is exact', (nano, cell) => {
    expect(moneyCell(nano)).toBe(cell);
  });

  test('every amount is read from it as it was', () => {
    fc.assert(fc.property(amount, (nano) => BigInt(JSON.parse(JSON.stringify(moneyCell(nano)))) === nano));
  });

  test('anything but a bigint is refused', () => {
    expect(() => moneyCell(null as never)).toThrow('money is a whole number of nano');
  });
});
