// An operation that fails leaves the book as it was: what it did is taken back, and nothing of those before it.

import { expect, test } from 'bun:test';
import { Book } from '../../src/store/book/book.ts';

const account = (accountId: string) => ({ accountId, createdAt: 1 });
const lease = (nodeId: string) => ({ nodeId, host: 'here', pid: 1, expiresAt: 9 });

function failing(book: Book, act: () => void): void {
  const run = () =>
    book.attempt(() => {
      act();
      throw new TypeError('a slip');
    });
  expect(run).toThrow('a slip');
}

test('rows that it added are gone, those of its neighbours are not', () => {
  const book = new Book(() => undefined);
  book.attempt(() => book.add('accounts', account('one')));
  failing(book, () => {
    book.add('accounts', account('two'));
    book.add('accounts', account('three'));
  });
  book.attempt(() => book.add('accounts', account('four')));
  expect(book.added.accounts.map(({ accountId }) => accountId)).toEqual(['one', 'four']);
});

test('pages that it changed say what they said before, and need not be written', () => {
  const stored = lease('stored');
  const book = new Book((_, id) => (id === 'stored' ? (stored as never) : undefined));
  const changed = { ...lease('changed'), pid: 2 };
  book.attempt(() => book.put('leases', 'changed', changed));
  failing(book, () => {
    book.put('leases', 'stored', undefined);
    book.put('leases', 'new', lease('new'));
    book.put('leases', 'changed', lease('changed'));
    book.put('leases', 'changed', undefined);
  });
  expect(['stored', 'new', 'changed'].map((id) => book.get('leases', id))).toEqual([stored, undefined, changed]);
  expect(book.changes('leases')).toEqual([{ id: 'changed', before: undefined, after: changed }]);
});

test('a preview leaves nothing to write, and what came before it in the batch stays', () => {
  const book = new Book(() => undefined);
  book.attempt(() => book.put('leases', 'kept', lease('kept')));
  const { steps } = book;
  const seen = book.attempt(() =>
    book.preview(() => {
      book.put('leases', 'kept', undefined);
      book.put('leases', 'new', lease('new'));
      book.add('accounts', account('one'));
      return [book.get('leases', 'kept'), book.get('leases', 'new')];
    }),
  );
  expect(seen).toEqual([undefined, lease('new')]);
  expect(book.changes('leases')).toEqual([{ id: 'kept', before: undefined, after: lease('kept') }]);
  expect(book.added.accounts).toEqual([]);
  expect(book.steps).toBe(steps);
});
