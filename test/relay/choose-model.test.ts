// What a client hears that asks for a model which is not there.

import { expect, test } from 'bun:test';
import type { Catalog } from '../../src/catalog/catalog.ts';
import { Fault } from '../../src/faults/fault.ts';
import { chooseModel } from '../../src/relay/choose-model.ts';
import type { KeyRow } from '../../src/store/rows.ts';

function hintFor(id: string, models: KeyRow['models'], here: readonly string[]): string | undefined {
  const catalog = {
    find: () => undefined,
    models: here.map((one) => ({ id: one })),
    retired: new Map(),
  } as unknown as Catalog;
  try {
    chooseModel(catalog, { allowedModels: models }, id, 'chat');
  } catch (error) {
    if (error instanceof Fault) return error.details.hint;
    throw error;
  }
  throw new Error('it was found');
}

test('the nearest names, else some of those that there are', () => {
  expect(hintFor('alpho', null, ['alpha', 'beta'])).toBe('Did you mean alpha?');
  expect(hintFor('something-else', null, ['alpha', 'beta'])).toBe('Models: alpha, beta.');
});

test('a key whose models have all gone: that it is the key', () => {
  expect(hintFor('gone', ['gone', 'lost'], ['alpha'])).toBe(
    'This key may use: gone, lost. None of them exists any more. Use another key, or change the allow-list of this one.',
  );
});

test('undefined without a suggestion', () => {
  expect(hintFor('something-else', null, [])).toBeUndefined();
});
