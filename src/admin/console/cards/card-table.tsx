/** @jsxImportSource hono/jsx */
// Cards by serial number; those that can be voided can be chosen.

import { dateTime, money } from '../../../site/format.ts';
import { IdLink } from '../../../site/parts/button.tsx';
import { DataTable, figure } from '../../../site/parts/table.tsx';
import type { CardView } from '../../actions/cards.ts';
import type { ConsoleContext } from '../frame.tsx';

interface CardTableProps {
  context: ConsoleContext;
  cards: readonly CardView[];
  /** Within a form that voids what is chosen. */
  isChoosable: boolean;
}

export function CardTable({ context, cards, isChoosable }: CardTableProps) {
  const { cards: words } = context.words;
  return (
    <DataTable
      label={words.cardsOfBatch}
      columns={[words.serial, words.state, figure(words.value), words.account, words.redeemedAt]}
      rows={cards.map((card) => [
        <Serial context={context} card={card} isChoosable={isChoosable} />,
        <span class={`state ${STATES[card.state]}`}>{words[card.state]}</span>,
        money(card.amount),
        card.redeemedBy === null ? '–' : <IdLink href={`/accounts/${card.redeemedBy}`} text={card.redeemedBy} />,
        card.redeemedAt === null ? '–' : <span class="number">{dateTime(card.redeemedAt)}</span>,
      ])}
    />
  );
}

const STATES = { issued: 'operational', redeemed: 'unknown', voided: 'down', expired: 'degraded' };

function Serial({ context, card, isChoosable }: { context: ConsoleContext; card: CardView; isChoosable: boolean }) {
  const { cards } = context.words;
  if (!isChoosable) {
    return <IdLink href={`/cards/batches/${card.batchId}`} text={card.serial} />;
  }
  return (
    <label class="check">
      <input type="checkbox" name="serial" value={card.serial} disabled={card.state !== 'issued'} />{' '}
      <span class="unseen">{cards.choose} </span>
      <span class="id">{card.serial}</span>
    </label>
  );
}
