// Issuing and voiding cards. A batch is written whole; a redeemed card is never voided.

import { assert } from '../../kit/assert.ts';
import type { IssueInput, VoidInput, VoidResult } from '../operations.ts';
import { noteAction } from './actions.ts';
import type { Book, Touch } from './book.ts';

export function issueTouches(input: IssueInput): Touch[] {
  return input.cards.map((card) => ({ table: 'cards', id: card.hash }));
}

export function issue(book: Book, input: IssueInput): undefined {
  const { batch, cards } = input;
  assert(cards.length === batch.count, 'a batch holds as many cards as it says');
  book.add('cardBatches', batch);
  for (const { hash, serial } of cards) {
    assert(!book.get('cards', hash), 'a card code is new');
    book.put('cards', hash, {
      hash,
      serial,
      batchId: batch.batchId,
      kind: batch.kind,
      amount: batch.amount,
      state: 'issued',
      expiresAt: batch.expiresAt,
      redeemedBy: null,
      redeemedAt: null,
    });
  }
  noteAction(book, input);
}

export function voidTouches(input: VoidInput): Touch[] {
  return [{ table: 'cards', id: input.hash }];
}

export function voidCard(book: Book, input: VoidInput): VoidResult {
  const { hash } = input;
  const card = book.get('cards', hash);
  if (!card) return { state: 'unknown' };
  if (card.state === 'issued') {
    book.put('cards', hash, { ...card, state: 'voided' });
    noteAction(book, input);
  }
  return { state: card.state === 'redeemed' ? 'redeemed' : 'voided' };
}
