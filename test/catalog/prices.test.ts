import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { buildCatalog, type Model } from '../../src/catalog/catalog.ts';
import { readDocument } from '../../src/catalog/read-document.ts';
import type { Prices } from '../../src/kit/prices.ts';
import { faultPaths, faultsOf } from '../support/plain-document.ts';

function priced(price: string, kinds = 'chat'): string {
  return `
channels: [{name: demo, kind: demo}]
models:
  - id: m
    kinds: [${kinds}]
    price: ${price}
    routes: [{channel: demo, model: demo}]
`;
}

function modelOf(text: string): Model {
  const read = readDocument(text);
  if (!read.ok) throw new Error(read.faults.map(({ path, message }) => `${path}: ${message}`).join());
  const [model] = buildCatalog(read.document, 1, 0).models;
  if (!model) throw new Error('the document has no model');
  return model;
}

const pricesOf = (price: string, kinds?: string): Prices => modelOf(priced(price, kinds)).prices;

describe('a price that is refused, at its path', () => {
  test.each([
    '0',
    '-0',
    '0.000',
    '-1',
    '-0.001',
    '.nan',
    '.NaN',
    'NaN',
    '.inf',
    '-.inf',
    'Infinity',
    '1e400',
    '-1e400',
    '1e-7',
    '1.1234',
    '0.0001',
    '1000000.001',
    '1e21',
    '"1.1234"',
    '"1e3"',
    '"-1"',
    '"0"',
    '""',
    '" 1"',
    'NT$8',
    '1_000',
    '1,000.5',
    'eight',
    'free',
    'true',
    'null',
    '',
    '[8]',
    '{ntd: 8}',
  ])('%s', (text) => {
    const asYaml = text.includes(',') && !text.startsWith('"') ? `"${text}"` : text;
    expect(faultPaths(priced(`{input: ${asYaml}, output: 65}`))).toEqual(['models[0].price.input']);
  });

  test.each(['cached_input', 'cache_write_5m', 'cache_write_1h', 'output', 'image'])('also as %s', (name) => {
    const rest = name === 'output' ? 'input: 1' : 'input: 1, output: 1';
    expect(faultPaths(priced(`{${rest}, ${name}: 0}`, 'chat, images'))).toEqual([`models[0].price.${name}`]);
  });

  test.each(['Free', '0', '8.125', 'null', '[free]', 'true', '"free "'])('%s in place of all prices', (text) => {
    expect(faultPaths(priced(text))).toEqual(['models[0].price']);
  });

  test('a price of nothing is pointed to "free"', () => {
    expect(faultsOf(priced('{input: 0, output: 1}'))[0]).toContain('price: free');
  });
});

describe('a price is exact', () => {
  test('every price of up to three decimals is a whole number of nano-NT$ a token, digit by digit', () => {
    const thousandths = fc.bigInt({ min: 1n, max: 1_000_000_000n });
    fc.assert(
      fc.property(thousandths, fc.boolean(), (value, quoted) => {
        const text = `${value / 1000n}.${String(value % 1000n).padStart(3, '0')}`;
        const written = quoted ? `"${text}"` : text;
        expect(pricesOf(`{input: ${written}, output: 1}`).input).toBe(value);
      }),
    );
  });

  test('also one that floats cannot hold', () => {
    expect(pricesOf('{input: 0.813, output: 40.123}')).toMatchObject({ input: 813n, output: 40_123n });
    expect(pricesOf('{input: 999999.999, output: 1000000}')).toMatchObject({
      input: 999_999_999n,
      output: 1_000_000_000n,
    });
  });

  test('an image costs its price, not a millionth of it', () => {
    expect(pricesOf('{image: 1.234}', 'images').image).toBe(1_234_000_000n);
  });
});

describe('a price left out', () => {
  test('of cached input and of cache writes is the input price', () => {
    expect(pricesOf('{input: 8.125, output: 65}')).toEqual({
      input: 8_125n,
      cachedInput: 8_125n,
      cacheWrite5m: 8_125n,
      cacheWrite1h: 8_125n,
      output: 65_000n,
      image: 0n,
    });
  });

  test('falls back one by one', () => {
    expect(pricesOf('{input: 10, cached_input: 1, output: 40}')).toMatchObject({
      cachedInput: 1_000n,
      cacheWrite5m: 10_000n,
      cacheWrite1h: 10_000n,
    });
    expect(pricesOf('{input: 10, cache_write_1h: 20, output: 40}')).toMatchObject({
      cachedInput: 10_000n,
      cacheWrite5m: 10_000n,
      cacheWrite1h: 20_000n,
    });
  });
});

test('free costs nothing, whatever it is', () => {
  const model = modelOf(priced('free', 'chat, embeddings, images'));
  expect(model.free).toBe(true);
  expect(Object.values(model.prices)).toEqual(Array.from({ length: 6 }, () => 0n));
});
