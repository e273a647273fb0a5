/** @jsxImportSource hono/jsx */
// The cards: a form for a new batch, the batches so far, and a search by serial number.

import { count, dateTime, money } from '../../../site/format.ts';
import { Figure } from '../../../site/parts/amount.tsx';
import { IdLink, LinkButton, Submit } from '../../../site/parts/button.tsx';
import { Hidden, SelectField, TextField } from '../../../site/parts/field.tsx';
import { action, DataTable, figure, typedText, Under } from '../../../site/parts/table.tsx';
import { typed } from '../../../site/read-form.ts';
import { type BatchView, type CardView, listBatches, listCards } from '../../actions/cards.ts';
import { type ConsoleContext, ConsolePage } from '../frame.tsx';
import { type FormProps, fieldsIn, type Shown } from '../refused.ts';
import type { ConsoleVisit } from '../visits.tsx';

const SHOWN_BATCHES = 100;
export const SHOWN_CARDS = 60;

export async function showCards(visit: ConsoleVisit, { status = 200, notice, faults }: Shown = {}): Promise<Response> {
  const { tools, page: context, form } = visit;
  const { cards, profit } = context.words;
  const [batches, liability] = await Promise.all([listBatches(tools, SHOWN_BATCHES), tools.store.read.cardLiability()]);
  const serial = typed(visit.url.searchParams, 'serial');
  const found = serial === '' ? undefined : await listCards(tools, { serials: [serial] }, SHOWN_CARDS);
  return visit.show(
    <ConsolePage context={context} section="cards" title={cards.title} lead={cards.lead} notice={notice}>
      {liability.sold > 0n ? (
        <div class="cards is-money">
          <Figure title={profit.sold} value={liability.sold} />
          <Figure title={profit.redeemed} value={liability.redeemed} />
          <Figure title={profit.unredeemed} value={liability.sold - liability.redeemed} />
        </div>
      ) : null}
      <div class="two">
        <section>
          <h2>{cards.issue}</h2>
          <IssueForm {...{ context, form, faults }} />
        </section>
        <section>
          <h2>{cards.search}</h2>
          <form method="get" action="/cards" class="search">
            <TextField name="serial" label={cards.serial} type="search" value={serial} maxlength={40} required />
            <Submit look="quiet" text={cards.find} />
          </form>
          {found?.length === 0 ? <p class="empty">{cards.noneFound}</p> : null}
          {found && found.length > 0 ? <Found context={context} cards={found} /> : null}
        </section>
      </div>
      <h2>{cards.batches}</h2>
      <BatchTable context={context} batches={batches} />
    </ConsolePage>,
    { status },
  );
}

/** A large batch does not list all of its cards, so a card can be voided in the search results. */
function Found({ context, cards }: { context: ConsoleContext; cards: readonly CardView[] }) {
  const { cards: words } = context.words;
  return (
    <>
      <CardTable context={context} cards={cards} isChoosable={false} />
      {cards
        .filter(({ state }) => state === 'issued')
        .map(({ batchId, serial }) => (
          <form method="post" action="/cards/void">
            <Hidden fields={{ batch: batchId, serial }} />
            <Submit look="quiet" text={words.voidThis} />
          </form>
        ))}
    </>
  );
}

function IssueForm({ context, form, faults }: FormProps) {
  const { cards } = context.words;
  const field = fieldsIn({ form, faults });
  const kinds = (['sold', 'promo'] as const).map((name) => [name, cards[name]] as const);
  return (
    <form method="post" action="/cards/review" class="issue">
      <div class="filters is-level">
        <TextField {...field('amount')} label={cards.amount} inputmode="decimal" required />
        <TextField {...field('count')} label={cards.count} help={cards.countHelp} inputmode="decimal" required />
      </div>
      <div class="filters is-level">
        <SelectField name="kind" label={cards.kind} value={form.get('kind') ?? 'sold'} choices={kinds} />
        <TextField {...field('expires')} label={cards.expires} help={cards.expiresHelp} type="date" />
      </div>
      <TextField {...field('note')} label={cards.note} help={cards.noteHelp} maxlength={200} />
      <Submit text={cards.review} />
    </form>
  );
}

function BatchTable({ context, batches }: { context: ConsoleContext; batches: readonly BatchView[] }) {
  const { cards } = context.words;
  return (
    <DataTable
      label={cards.batches}
      none={cards.noBatches}
      columns={[
        cards.batch,
        cards.created,
        cards.kind,
        figure(cards.states),
        figure(cards.total),
        typedText(cards.note),
      ]}
      rows={batches.map((batch) => [
        <Under
          of={
            <a href={`/cards/batches/${batch.batchId}`}>{cards.batchTitle(money(batch.amount), count(batch.count))}</a>
          }
          text={batch.batchId}
          class="id"
        />,
        <span class="number">{dateTime(batch.createdAt)}</span>,
        cards[batch.kind],
        cards.of(count(batch.states.redeemed), count(batch.count)),
        money(batch.amount * BigInt(batch.count)),
        batch.note ?? '–',
      ])}
    />
  );
}

interface CardTableProps {
  context: ConsoleContext;
  cards: readonly CardView[];
  /** Within a form that voids what is chosen. */
  isChoosable: boolean;
}

export function CardTable({ context, cards, isChoosable }: CardTableProps) {
  const { cards: words, refunds } = context.words;
  return (
    <DataTable
      label={words.cardsOfBatch}
      columns={[
        words.serial,
        words.state,
        figure(words.value),
        words.account,
        words.redeemedAt,
        action(refunds.refund),
      ]}
      rows={cards.map((card) => [
        <Serial context={context} card={card} isChoosable={isChoosable} />,
        <span class={`state ${STATES[card.state]}`}>{words[card.state]}</span>,
        money(card.amount),
        card.redeemedBy === null ? null : <IdLink href={`/accounts/${card.redeemedBy}`} text={card.redeemedBy} />,
        card.redeemedAt === null ? null : <span class="number">{dateTime(card.redeemedAt)}</span>,
        card.redeemedBy === null ? null : (
          <LinkButton
            look="quiet small"
            href={`/accounts/${card.redeemedBy}/refund?card=${encodeURIComponent(card.serial)}`}
            text={refunds.refund}
            about={`: ${card.serial}`}
          />
        ),
      ])}
    />
  );
}

const STATES = { issued: 'operational', redeemed: 'unknown', voided: 'voided', expired: 'degraded' };

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
