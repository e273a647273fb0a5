// Issuing and voiding cards. A batch is written whole; a redeemed card is never voided.

import { assert } from '../../kit/assert.ts';
import type { CardBatch, CardState } from '../rows.ts';
import { type Logged, noteAction } from './actors.ts';
import type { Book, Operations } from './book.ts';

export interface IssueInput extends Logged {
  batch: CardBatch;
  cards: readonly { hash: string; serial: string }[];
}

export interface VoidInput extends Logged {
  hash: string;
}

export interface VoidResult {
  /** The card's state afterwards. */
  state: Exclude<CardState, 'issued'> | 'unknown';
}

export const CARD_OPERATIONS = {
  issue: { touches: ({ cards }: IssueInput) => cards.map(({ hash }) => ({ table: 'cards', id: hash })), decide: issue },
  void: { touches: ({ hash }: VoidInput) => [{ table: 'cards', id: hash }], decide: voidCard },
} satisfies Operations;

function issue(book: Book, input: IssueInput): undefined {
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

function voidCard(book: Book, input: VoidInput): VoidResult {
  const { hash } = input;
  const card = book.get('cards', hash);
  if (!card) return { state: 'unknown' };
  if (card.state === 'issued') {
    book.put('cards', hash, { ...card, state: 'voided' });
    noteAction(book, input);
  }
  return { state: card.state === 'redeemed' ? 'redeemed' : 'voided' };
}
