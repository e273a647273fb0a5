/** @jsxImportSource hono/jsx */
// Cards by serial number; those that can be voided can be chosen.

import { dateTime, money } from '../../../site/format.ts';
import type { CardView } from '../../actions/cards.ts';
import type { ConsoleContext } from '../frame/frame.tsx';
import { DataTable } from '../parts/data-table.tsx';
import { consoleWords } from '../words/words.ts';

interface CardTableProps {
  context: ConsoleContext;
  cards: readonly CardView[];
  /** Within a form that voids what is chosen. */
  isChoosable: boolean;
}

export function CardTable({ context, cards, isChoosable }: CardTableProps) {
  const { cards: words } = consoleWords(context.language);
  return (
    <DataTable
      label={words.cardsOfBatch}
      columns={[
        { text: words.serial },
        { text: words.state },
        { text: words.value, isFigure: true },
        { text: words.account },
        { text: words.redeemedAt },
      ]}
      rows={cards.map((card) => [
        <Serial context={context} card={card} isChoosable={isChoosable} />,
        <span class={`state ${STATES[card.state]}`}>{words[card.state]}</span>,
        money(card.amount),
        card.redeemedBy === null ? (
          '–'
        ) : (
          <a class="id" href={`/accounts/${card.redeemedBy}`}>
            {card.redeemedBy}
          </a>
        ),
        card.redeemedAt === null ? '–' : <span class="number">{dateTime(card.redeemedAt)}</span>,
      ])}
    />
  );
}

const STATES = { issued: 'operational', redeemed: 'unknown', voided: 'down', expired: 'degraded' };

function Serial({ context, card, isChoosable }: { context: ConsoleContext; card: CardView; isChoosable: boolean }) {
  const { cards } = consoleWords(context.language);
  if (!isChoosable) {
    return (
      <a class="id" href={`/cards/batches/${card.batchId}`}>
        {card.serial}
      </a>
    );
  }
  return (
    <label class="check">
      <input type="checkbox" name="serial" value={card.serial} disabled={card.state !== 'issued'} />{' '}
      <span class="unseen">{cards.choose} </span>
      <span class="id">{card.serial}</span>
    </label>
  );
}
