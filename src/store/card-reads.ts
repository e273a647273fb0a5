// Reads of prepaid cards and of their batches.

import { all, ask, given, many, one, QUICK, read, rowOf, SLOW, type SqlQuery, where } from './read.ts';
import { CARD_BATCHES, CARDS, type Card, type CardState } from './rows.ts';
import { decoder, number, text } from './table.ts';

export interface CardQuery {
  batchId?: string;
  state?: CardState;
  /** The time by which cards expire: expired cards are not `issued`, or are the only ones that are returned. */
  expiry?: { at: number; isOver: boolean };
  serials?: readonly string[];
  /** The end of the page before. */
  after?: Pick<Card, 'batchId' | 'serial'> | undefined;
  limit: number;
}

const decodeCardCount = decoder({
  batchId: text('batch_id'),
  state: text<CardState | 'expired'>('state'),
  cards: number('cards'),
});
export interface CardCount extends ReturnType<typeof decodeCardCount> {}

export const CARD_READS = {
  /** The newest batch first, by serial. */
  cards: read(SLOW, cardsQuery, all(rowOf(CARDS))),
  cardBatches: many(QUICK, CARD_BATCHES, 'ORDER BY created_at DESC, batch_id DESC LIMIT ?', (limit: number) => [limit]),
  cardBatch: one(QUICK, CARD_BATCHES, 'WHERE batch_id = ?', (batchId: string) => [batchId]),
  /** For one batch or for all; states without a card are omitted. */
  cardCounts: read(SLOW, cardCountsQuery, all(decodeCardCount)),
};

function cardsQuery({ batchId, state, expiry, serials, after, limit }: CardQuery): SqlQuery {
  const { sql, values } = where([
    given('batch_id = ?', batchId),
    given('state = ?', state),
    given('serial = ANY(?)', serials),
    given(expiry?.isOver ? 'expires_at <= ?' : '(expires_at IS NULL OR expires_at > ?)', expiry?.at),
    // Both databases can then begin at that batch of the index.
    given('batch_id <= ?', after?.batchId),
    after && ['(batch_id < ? OR serial > ?)', after.batchId, after.serial],
  ]);
  return ask(`SELECT * FROM cards ${sql} ORDER BY batch_id DESC, serial LIMIT ?`, ...values, limit);
}

function cardCountsQuery(batchId: string | undefined, at: number): SqlQuery {
  const sql = `SELECT batch_id, state, count(*) AS cards FROM (
      SELECT batch_id, CASE WHEN state = 'issued' AND expires_at <= ? THEN 'expired' ELSE state END AS state
      FROM cards ${batchId === undefined ? '' : 'WHERE batch_id = ?'}
    ) AS counted GROUP BY batch_id, state`;
  return batchId === undefined ? ask(sql, at) : ask(sql, at, batchId);
}
