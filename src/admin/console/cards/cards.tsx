/** @jsxImportSource hono/jsx */
// The cards: a form for a new batch, the batches so far, and a search by serial number.

import { count, dateTime, money } from '../../../site/format.ts';
import { Field } from '../../../site/parts/field.tsx';
import type { BatchView, CardView } from '../../actions/cards.ts';
import { Hidden } from '../frame/confirm.tsx';
import { TextField } from '../frame/field.tsx';
import { type ConsoleContext, ConsolePage, type Notice } from '../frame/frame.tsx';
import { DataTable } from '../parts/data-table.tsx';
import { consoleWords } from '../words/words.ts';
import { CardTable } from './card-table.tsx';

interface CardsProps {
  context: ConsoleContext;
  batches: readonly BatchView[];
  /** What was searched, and what was found. */
  search?: { serial: string; found: readonly CardView[] } | undefined;
  /** What was sent and refused, else empty. */
  form: URLSearchParams;
  faults?: Readonly<Record<string, string>>;
  notice?: Notice | undefined;
}

export function CardsPage(props: CardsProps) {
  const { context, batches, search, notice } = props;
  const { cards } = consoleWords(context.language);
  return (
    <ConsolePage context={context} section="cards" title={cards.title} lead={cards.lead} notice={notice}>
      <div class="two">
        <section>
          <h2>{cards.issue}</h2>
          <IssueForm {...props} />
        </section>
        <section>
          <h2>{cards.search}</h2>
          <form method="get" action="/cards">
            <TextField
              name="serial"
              label={cards.serial}
              type="search"
              value={search?.serial}
              maxLength={40}
              isRequired
            />
            <button type="submit" class="quiet">
              {cards.find}
            </button>
          </form>
          {search && search.found.length === 0 ? <p class="empty">{cards.noneFound}</p> : null}
          {search && search.found.length > 0 ? <Found context={context} cards={search.found} /> : null}
        </section>
      </div>
      <h2>{cards.batches}</h2>
      {batches.length === 0 ? (
        <p class="empty">{cards.noBatches}</p>
      ) : (
        <BatchTable context={context} batches={batches} />
      )}
    </ConsolePage>
  );
}

/** A large batch does not show all of its cards: one that was found can be voided where it was found. */
function Found({ context, cards }: { context: ConsoleContext; cards: readonly CardView[] }) {
  const { cards: words } = consoleWords(context.language);
  return (
    <>
      <CardTable context={context} cards={cards} isChoosable={false} />
      {cards
        .filter(({ state }) => state === 'issued')
        .map(({ batchId, serial }) => (
          <form method="post" action="/cards/void">
            <Hidden fields={{ batch: batchId, serial }} />
            <button type="submit" class="quiet">
              {words.voidThis}
            </button>
          </form>
        ))}
    </>
  );
}

function IssueForm({ context, form, faults = {} }: CardsProps) {
  const { cards } = consoleWords(context.language);
  const kind = form.get('kind') ?? 'sold';
  const value = (name: string) => form.get(name) ?? '';
  return (
    <form method="post" action="/cards/review">
      <div class="filters is-level">
        <TextField
          name="amount"
          label={cards.amount}
          value={value('amount')}
          fault={faults.amount}
          isFigure
          isRequired
        />
        <TextField
          name="count"
          label={cards.count}
          help={cards.countHelp}
          value={value('count')}
          fault={faults.count}
          isFigure
          isRequired
        />
      </div>
      <Field name="kind" label={cards.kind}>
        <select id="kind" name="kind">
          {(['sold', 'promo'] as const).map((name) => (
            <option value={name} selected={kind === name}>
              {cards[name]}
            </option>
          ))}
        </select>
      </Field>
      <TextField
        name="expires"
        label={cards.expires}
        help={cards.expiresHelp}
        type="date"
        value={value('expires')}
        fault={faults.expires}
      />
      <TextField name="note" label={cards.note} help={cards.noteHelp} value={value('note')} maxLength={200} />
      <button type="submit">{cards.review}</button>
    </form>
  );
}

function BatchTable({ context, batches }: { context: ConsoleContext; batches: readonly BatchView[] }) {
  const { cards } = consoleWords(context.language);
  return (
    <DataTable
      label={cards.batches}
      columns={[
        { text: cards.batch },
        { text: cards.created },
        { text: cards.kind },
        { text: cards.states, isFigure: true },
        { text: cards.total, isFigure: true },
        { text: cards.note, isTyped: true },
      ]}
      rows={batches.map((batch) => [
        <>
          <a href={`/cards/batches/${batch.batchId}`}>{cards.batchTitle(money(batch.amount), count(batch.count))}</a>
          <span class="under id">{batch.batchId}</span>
        </>,
        <span class="number">{dateTime(batch.createdAt)}</span>,
        cards[batch.kind],
        cards.of(count(batch.states.redeemed), count(batch.count)),
        money(batch.amount * BigInt(batch.count)),
        batch.note ?? '–',
      ])}
    />
  );
}
