// What customers are told of a new document: dates of retirement and prices that they did not know yet.

import { expect, test } from 'bun:test';
import { announcementsOf } from '../../../src/catalog/publishing/announcements.ts';
import { readDocument } from '../../../src/catalog/read-document.ts';
import { plainDocument, ROUTE } from '../../support/plain-document.ts';

const NOW = Date.UTC(2026, 10, 18);
const PRICE = { input: 10, output: 40 };
const RETIRES = { retires_at: '2026-12-11', replaced_by: 'paid' };

function documentOf(fields: Record<string, unknown> = {}, id = 'sold') {
  const document = plainDocument();
  const models = [...document.models, { id, price: PRICE, routes: [ROUTE], ...fields }];
  const read = readDocument(JSON.stringify({ ...document, models }));
  if (!read.ok) throw new Error(JSON.stringify(read.faults));
  return read.document;
}

const announced = (before: Record<string, unknown>, after: Record<string, unknown>, at = NOW) =>
  announcementsOf(documentOf(before), documentOf(after), at);

test('the same document announces nothing, and neither does another setting', () => {
  const fields = { ...RETIRES, price: { ...PRICE, changes: [{ effective_at: '2027-01-01', input: 20 }] } };
  expect(announced(fields, fields)).toEqual([]);
  expect(announced({}, { context_tokens: 1_000 })).toEqual([]);
});

test('a date of retirement, with the successor and what becomes of calls', () => {
  const data = { model: 'sold', retires_at: '2026-12-10T16:00:00.000Z', replaced_by: 'paid', on_retired: 'refuse' };
  expect(announced({}, RETIRES)).toEqual([{ type: 'model.retiring', data: { ...data, on_retired: 'refuse' } }]);
  expect(announced(RETIRES, { ...RETIRES, on_retired: 'replace' })).toEqual([
    { type: 'model.retiring', data: { ...data, on_retired: 'replace' } },
  ]);
  expect(announced(RETIRES, { retires_at: '2026-12-11' })).toEqual([
    { type: 'model.retiring', data: { ...data, replaced_by: null, on_retired: 'refuse' } },
  ]);
});

test('no model that has retired, and none that no longer retires', () => {
  expect(announced({}, RETIRES, Date.UTC(2026, 11, 11))).toEqual([]);
  expect(announced(RETIRES, {})).toEqual([]);
});

test('a new price at once, and each later list as a whole', () => {
  const changes = [
    { effective_at: '2027-01-01', input: 20 },
    { effective_at: '2027-02-01', output: 80 },
  ];
  const [now, first, second, ...rest] = announced({}, { price: { input: 5, output: 40, changes } });
  expect(rest).toEqual([]);
  expect(now).toMatchObject({
    type: 'price.changing',
    data: { model: 'sold', effective_at: new Date(NOW).toISOString(), price: { input: 5, output: 40 } },
  });
  expect(first?.data).toMatchObject({ effective_at: '2026-12-31T16:00:00.000Z', price: { input: 20, output: 40 } });
  expect(second?.data).toMatchObject({ effective_at: '2027-01-31T16:00:00.000Z', price: { input: 20, output: 80 } });
});

test('only the change that is new', () => {
  const known = { effective_at: '2027-01-01', input: 20 };
  const added = { effective_at: '2027-02-01', input: 30 };
  const found = announced({ price: { ...PRICE, changes: [known] } }, { price: { ...PRICE, changes: [known, added] } });
  expect(found.map(({ data }) => 'effective_at' in data && data.effective_at)).toEqual(['2027-01-31T16:00:00.000Z']);
});

test('nothing when a change that has come is written as the price', () => {
  const before = { price: { ...PRICE, changes: [{ effective_at: '2026-11-01', input: 20 }] } };
  expect(announced(before, { price: { input: 20, output: 40 } })).toEqual([]);
});

test('no price of a new model; that of a renamed one is compared with its old id', () => {
  expect(announcementsOf(documentOf(), documentOf({}, 'other'), NOW)).toEqual([]);
  expect(announcementsOf(undefined, documentOf(), NOW)).toEqual([]);
  const renamed = documentOf({ aliases: ['sold'], price: { input: 5, output: 40 } }, 'other');
  expect(announcementsOf(documentOf(), renamed, NOW)).toMatchObject([{ data: { model: 'other' } }]);
});
