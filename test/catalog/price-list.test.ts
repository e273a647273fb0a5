// A catalog with the prices of another revision: names mean what they meant then, everything else is as it is now.

import { expect, test } from 'bun:test';
import { buildCatalog, type Catalog } from '../../src/catalog/catalog.ts';
import { priceListOf, repriceCatalog } from '../../src/catalog/price-list.ts';
import { readDocument } from '../../src/catalog/read-document.ts';
import { plainDocument, ROUTE } from '../support/plain-document.ts';

function catalogOf(revision: number, models: Record<string, unknown>[]): Catalog {
  const document = plainDocument();
  const read = readDocument(
    JSON.stringify({
      ...document,
      models: [...document.models, ...models.map((one) => ({ routes: [ROUTE], ...one }))],
    }),
  );
  if (!read.ok) throw new Error('the document is not valid');
  return buildCatalog(read.document, revision, revision);
}

const before = catalogOf(1, [
  { id: 'sold', aliases: ['best'], price: { input: 1, output: 2 } },
  { id: 'other', price: { input: 3, output: 4 } },
  { id: 'gone', price: { input: 5, output: 6 } },
  { id: 'was-free', price: 'free' },
]);
const now = catalogOf(2, [
  { id: 'sold', max_output_tokens: 77, price: { input: 10, output: 20 } },
  { id: 'other', aliases: ['best'], price: { input: 30, output: 40 } },
  { id: 'was-free', price: { input: 7, output: 8 } },
  { id: 'added', price: { input: 50, output: 60 } },
]);
const repriced = repriceCatalog(now, 1, { list: priceListOf(before), from: 5, until: 9 });

test('prices are those of the other revision, which it is named after', () => {
  expect(repriced.revision).toBe(1);
  expect(repriced.find('sold')).toMatchObject({ free: false, prices: { input: 1_000n, output: 2_000n } });
  expect(repriced.find('was-free')).toMatchObject({ free: true, prices: { input: 0n, output: 0n } });
});

test('everything else is as it is now', () => {
  expect(repriced.find('sold')?.maxOutputTokens).toBe(77);
  expect(repriced.find('sold')?.routes).toBe(now.find('sold')?.routes as never);
  expect(repriced.limits).toBe(now.limits);
});

test('an alias means the model that it meant then', () => {
  expect(now.find('best')?.id).toBe('other');
  expect(repriced.find('best')?.id).toBe('sold');
});

test('a model that one of the two does not have is left out', () => {
  expect(repriced.find('gone')).toBeUndefined();
  expect(repriced.find('added')).toBeUndefined();
  expect(repriced.models.map(({ id }) => id)).toEqual(['auto:free', 'paid', 'sold', 'other', 'was-free']);
});

test('applies only while its prices do', () => {
  expect(repriced).toMatchObject({ from: 5, until: 9 });
});
