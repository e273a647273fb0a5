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

const FACTOR = 'must be a plain decimal above 0, at most 100, with at most 3 decimals';

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
      second: 0n,
      character: 0n,
      search: 0n,
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
  expect(Object.values(model.prices)).toEqual(Array.from({ length: 9 }, () => 0n));
});

describe('rules of a price', () => {
  const list = (rules: string) => priced(`{input: 10, cached_input: 1, output: 40, ${rules}}`);

  test.each([
    ['tiers: [{input: 20}]', 'tiers[0]', 'needs either above_input_tokens or from_input_tokens'],
    [
      'tiers: [{above_input_tokens: 5, from_input_tokens: 5, input: 20}]',
      'tiers[0]',
      'needs either above_input_tokens or from_input_tokens',
    ],
    ['tiers: [{above_input_tokens: 5}]', 'tiers[0]', 'needs a price'],
    ['tiers: [{above_input_tokens: 0, input: 1}]', 'tiers[0].above_input_tokens', 'must be at least 1'],
    ['tiers: [{above_input_tokens: 1.5, input: 1}]', 'tiers[0].above_input_tokens', 'must be a whole number'],
    [
      'tiers: [{above_input_tokens: 5, input: 0}]',
      'tiers[0].input',
      'must be above 0; a model that costs nothing says "price: free"',
    ],
    ['tiers: [{above_input_tokens: 5, input: 1, ouput: 1}]', 'tiers[0].ouput', 'unknown field'],
    [
      'tiers: [{above_input_tokens: 9, input: 20}, {above_input_tokens: 8, input: 30}]',
      'tiers[1]',
      'must begin at more input tokens than the tier before it',
    ],
    [
      'tiers: [{above_input_tokens: 9, input: 20}, {from_input_tokens: 10, input: 30}]',
      'tiers[1]',
      'must begin at more input tokens than the tier before it',
    ],
    ['service_tiers: {flex: 0}', 'service_tiers.flex', FACTOR],
    ['service_tiers: {flex: -1}', 'service_tiers.flex', FACTOR],
    ['service_tiers: {flex: 0.1234}', 'service_tiers.flex', FACTOR],
    ['service_tiers: {flex: 101}', 'service_tiers.flex', FACTOR],
    ['service_tiers: {flex: half}', 'service_tiers.flex', FACTOR],
    ['service_tiers: {flex: true}', 'service_tiers.flex', 'must be a decimal number'],
    ['service_tiers: {auto: 1}', 'service_tiers.auto', 'is the standard tier, whose factor is 1: leave it out'],
    [
      'service_tiers: {Flex: 1}',
      'service_tiers.Flex',
      'must have 1 to 32 characters, only a-z, 0-9, "_" and "-", and begin with a letter',
    ],
    [
      'tools: {web_serch: 1}',
      'tools.web_serch',
      'is no tool with a price; there are web_search, web_fetch, x_search, file_search, document_search, code_interpreter, code_execution, mcp',
    ],
    ['tools: {web_search: 0}', 'tools.web_search', 'must be above 0; a model that costs nothing says "price: free"'],
    ['tools: {web_search: 0.0001}', 'tools.web_search', 'must be a plain decimal with at most 3 decimals'],
  ])('%s is refused', (rules, path, message) => {
    expect(faultsOf(list(rules))).toEqual([`models[0].price.${path}: ${message}`]);
  });

  test('a cost has the same, and may be 0', () => {
    const text = list('tools: {web_search: 1}').replace('model: demo', 'model: demo, cost: {tools: {web_search: 0}}');
    expect(modelOf(text).routes[0]?.costs.rules?.tools).toEqual(new Map([['web_search', 0n]]));
    expect(faultPaths(text.replace('web_search: 0', 'web: 0'))).toEqual(['models[0].routes[0].cost.tools.web']);
  });

  test('a tier leaves out what stays; cached input without any price costs as much as the input of the tier', () => {
    const tiers = 'tiers: [{from_input_tokens: 9, input: 20}]';
    const tierOf = (text: string) => modelOf(text).prices.rules?.tiers[0];
    expect(tierOf(list(tiers))).toEqual({
      ...{ inputTokens: 9, isInclusive: true },
      prices: {
        ...{ input: 20_000n, cachedInput: 1_000n, cacheWrite5m: 20_000n, cacheWrite1h: 20_000n },
        ...{ output: 40_000n, image: 0n, second: 0n, character: 0n, search: 0n },
      },
    });
    expect(tierOf(priced(`{input: 10, output: 40, ${tiers}}`))?.prices.cachedInput).toBe(20_000n);
  });

  test('a cost without rules has those of the price', () => {
    const rules = 'tiers: [{above_input_tokens: 9, input: 20}], service_tiers: {flex: 0.5}, tools: {web_search: 1}';
    const text = list(rules).replace('model: demo', 'model: demo, cost: {input: 5, service_tiers: {flex: 0.25}}');
    const { prices, routes } = modelOf(text);
    const costs = routes[0]?.costs;
    expect(costs).toMatchObject({ input: 5_000n, output: 40_000n });
    expect(costs?.rules?.tiers).toEqual(prices.rules?.tiers ?? []);
    expect(costs?.rules?.tools).toEqual(prices.rules?.tools ?? new Map());
    expect(costs?.rules?.serviceTiers).toEqual(new Map([['flex', 250n]]));
  });
});
