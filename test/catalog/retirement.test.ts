// Models that end at a date: what the document may say about it, and which models its catalog has before and after.

import { describe, expect, test } from 'bun:test';
import { buildCatalog } from '../../src/catalog/catalog.ts';
import { readDocument } from '../../src/catalog/read-document.ts';
import { faultsOf, plainDocument, ROUTE, withModel } from '../support/plain-document.ts';

const PRICE = { input: 1, output: 2 };
const DATE = '2026-12-11';
const MIDNIGHT = Date.UTC(2026, 11, 10, 16);

/** The plain document with more paid models. */
function documentOf(...models: Record<string, unknown>[]): string {
  const document = plainDocument();
  const added = models.map((model) => ({ price: PRICE, routes: [ROUTE], ...model }));
  return JSON.stringify({ ...document, models: [...document.models, ...added] });
}

function catalogAt(text: string, at: number) {
  const read = readDocument(text);
  if (!read.ok) throw new Error(JSON.stringify(read.faults));
  return buildCatalog(read.document, 1, 0, { at });
}

describe('the date', () => {
  test.each([
    ['a date begins at midnight in Taipei', DATE, MIDNIGHT],
    ['a leap day', '2028-02-29', Date.UTC(2028, 1, 28, 16)],
    ['a time in UTC', '2026-12-11T09:30:00Z', Date.UTC(2026, 11, 11, 9, 30)],
    ['a time with an offset, without seconds', '2026-12-11T09:30+08:00', Date.UTC(2026, 11, 11, 1, 30)],
    ['milliseconds', '2026-12-11T00:00:00.500+08:00', MIDNIGHT + 500],
  ])('%s', (_, text, at) => {
    expect(catalogAt(withModel({ price: PRICE, retires_at: text }), 0).find('extra')?.retirement?.at).toBe(at);
  });

  test.each(['2026-02-30', '2026-13-01', '2026-12', '11.12.2026', '2026-12-11T09:30:00', '2026-12-11T25:00Z', '', 7])(
    '%p is none',
    (text) => {
      expect(faultsOf(withModel({ price: PRICE, retires_at: text }))).toEqual([
        'models[2].retires_at: must be a date such as 2026-12-11, or a time with its offset from UTC such as 2026-12-11T09:00:00+08:00',
      ]);
    },
  );
});

describe('the successor', () => {
  const retiring = { id: 'old', retires_at: DATE };

  test.each([
    ['one that does not exist', { replaced_by: 'gone' }, 'replaced_by: there is no model "gone"'],
    ['itself', { replaced_by: 'old' }, 'replaced_by: a model does not replace itself'],
    [
      'none, though it is to serve',
      { on_retired: 'replace' },
      'on_retired: needs replaced_by, the model that serves its calls then',
    ],
    [
      'a free one for a paid one',
      { replaced_by: 'auto:free', on_retired: 'replace' },
      'on_retired: a free model is replaced by a free one only, a paid one by a paid one only',
    ],
    [
      'one of another kind',
      { kinds: ['chat', 'embeddings'], replaced_by: 'paid', on_retired: 'replace' },
      'on_retired: "paid" does not serve embeddings',
    ],
    [
      'one without a date',
      { retires_at: undefined, replaced_by: 'paid' },
      'replaced_by: needs retires_at, the date from which it applies',
    ],
    ['another word', { replaced_by: 'paid', on_retired: 'remove' }, 'on_retired: must be one of refuse, replace'],
  ])('is refused: %s', (_, fields, fault) => {
    expect(faultsOf(documentOf({ ...retiring, ...fields }))).toEqual([`models[2].${fault}`]);
  });

  test('is refused in a circle, at every model of it', () => {
    const circle = documentOf(
      { id: 'a', retires_at: DATE, replaced_by: 'b' },
      { id: 'b', retires_at: DATE, replaced_by: 'c' },
      { id: 'c', retires_at: DATE, replaced_by: 'a' },
      { id: 'd', retires_at: DATE, replaced_by: 'a' },
    );
    const message = 'these models replace each other in a circle';
    expect(faultsOf(circle)).toEqual([2, 3, 4].map((index) => `models[${index}].replaced_by: ${message}`));
  });

  test('may be free if it is only named, and may retire later', () => {
    const named = documentOf({ ...retiring, replaced_by: 'auto:free' });
    expect(faultsOf(named)).toEqual([]);
    const later = documentOf({ ...retiring, replaced_by: 'new' }, { id: 'new', retires_at: '2027-01-01' });
    expect(faultsOf(later)).toEqual([]);
  });
});

test('auto:free cannot retire', () => {
  const document = plainDocument();
  document.models[0] = { ...document.models[0], retires_at: DATE };
  expect(faultsOf(JSON.stringify(document))).toEqual([
    'models[0].retires_at: auto:free cannot retire: registration and errors point to it',
  ]);
});

describe('the catalog', () => {
  const text = documentOf(
    { id: 'refused', aliases: ['also-refused'], retires_at: DATE, replaced_by: 'paid' },
    { id: 'replaced', aliases: ['also-replaced'], retires_at: DATE, replaced_by: 'next', on_retired: 'replace' },
    { id: 'next', retires_at: '2027-01-01', replaced_by: 'paid', on_retired: 'replace' },
  );
  const idsAt = (at: number) => catalogAt(text, at).models.map(({ id }) => id);
  const foundAt = (at: number, name: string) => catalogAt(text, at).find(name)?.id;

  test('has a model until the last millisecond before its date', () => {
    expect(idsAt(MIDNIGHT - 1)).toEqual(['auto:free', 'paid', 'refused', 'replaced', 'next']);
    expect(idsAt(MIDNIGHT)).toEqual(['auto:free', 'paid', 'next']);
    expect(catalogAt(text, MIDNIGHT).until).toBe(Date.UTC(2026, 11, 31, 16));
    expect(catalogAt(text, MIDNIGHT)).toMatchObject({ from: MIDNIGHT, updatedAt: MIDNIGHT });
  });

  test('finds no model in place of one that is refused, and the successor in place of one that is replaced', () => {
    expect(foundAt(MIDNIGHT, 'refused')).toBeUndefined();
    expect(foundAt(MIDNIGHT, 'also-refused')).toBeUndefined();
    expect(catalogAt(text, MIDNIGHT).retired.get('also-refused')?.id).toBe('refused');
    expect(foundAt(MIDNIGHT - 1, 'also-replaced')).toBe('replaced');
    expect(foundAt(MIDNIGHT, 'also-replaced')).toBe('next');
  });

  test('goes on to the successor of a successor that has retired', () => {
    expect(foundAt(Date.UTC(2027, 0, 1), 'replaced')).toBe('paid');
  });
});
