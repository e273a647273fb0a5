/** @jsxImportSource hono/jsx */
// One batch: its codes for as long as they are remembered, and what became of its cards.

import { count, date, dateTime, money } from '../../../site/format.ts';
import { type Notice, Tabs } from '../../../site/frame.tsx';
import { LinkButton, Submit } from '../../../site/parts/button.tsx';
import { CodeBlock } from '../../../site/parts/code-block.tsx';
import { CopyId } from '../../../site/parts/copy-id.tsx';
import { Hidden } from '../../../site/parts/field.tsx';
import { type Fact, Facts } from '../../../site/parts/table.tsx';
import type { BatchView, CardSheet, CardStateView, CardView } from '../../actions/cards.ts';
import { type ConsoleContext, ConsolePage } from '../frame.tsx';
import { type PageOf, Pager } from '../pager.tsx';
import { CardTable } from './cards.tsx';

export const CARD_STATES = ['issued', 'redeemed', 'voided', 'expired'] as const;

interface BatchProps {
  context: ConsoleContext;
  batch: BatchView;
  cards: readonly CardView[];
  state: CardStateView | undefined;
  part: PageOf;
  /** Codes while they are remembered. */
  sheet: CardSheet | undefined;
  notice?: Notice | undefined;
}

export function BatchPage({ context, batch, cards, state, part, sheet, notice }: BatchProps) {
  const { cards: words } = context.words;
  const path = `/cards/batches/${batch.batchId}`;
  const pathOf = (name: CardStateView | undefined) => (name === undefined ? path : `${path}?state=${name}`);
  const tabs = [
    { path, text: words.all },
    ...CARD_STATES.map((name) => ({ path: pathOf(name), text: `${words[name]} ${count(batch.states[name])}` })),
  ];
  const facts: Fact[] = [
    [words.batch, <CopyId language={context.language} id={batch.batchId} name={words.batch} />],
    [words.created, dateTime(batch.createdAt)],
    [words.kind, words[batch.kind]],
    [words.total, money(batch.amount * BigInt(batch.count))],
    ...(batch.expiresAt === null ? [] : [[words.expires, date(batch.expiresAt - 1)] as const]),
    ...CARD_STATES.map((name): Fact => [words[name], count(batch.states[name])]),
    ...(batch.note === null ? [] : [[words.note, batch.note] as const]),
  ];
  return (
    <ConsolePage context={context} section="cards" title={titleOf(context, batch)} notice={notice}>
      <Facts facts={facts} />
      {sheet ? <Codes context={context} path={path} sheet={sheet} /> : <p class="note">{words.codesGone}</p>}
      <h2>{words.cardsOfBatch}</h2>
      <Tabs label={words.filter} links={tabs} current={pathOf(state)} />
      {cards.length === 0 ? (
        <p class="empty">{words.noCards}</p>
      ) : (
        <form method="post" action="/cards/void">
          <Hidden fields={{ batch: batch.batchId }} />
          <CardTable context={context} cards={cards} isChoosable />
          <div class="row">
            <Submit look="quiet" text={words.voidChosen} />
            <button type="submit" class="quiet" name="all" value="yes">
              {words.voidAll}
            </button>
          </div>
        </form>
      )}
      <Pager context={context} path={pathOf(state)} {...part} />
    </ConsolePage>
  );
}

function titleOf(context: ConsoleContext, { amount, count: many }: BatchView): string {
  return context.words.cards.batchTitle(money(amount), count(many));
}

export function CodesExpiredPage({ context, batch }: Pick<BatchProps, 'context' | 'batch'>) {
  const { cards: words } = context.words;
  return (
    <ConsolePage
      context={context}
      section="cards"
      title={titleOf(context, batch)}
      notice={{ text: words.codesGone, isBad: true }}
    >
      <p>
        <LinkButton look="quiet" href={`/cards/batches/${batch.batchId}`} text={words.toBatch} />
      </p>
    </ConsolePage>
  );
}

interface CodesProps {
  context: ConsoleContext;
  path: string;
  sheet: CardSheet;
}

function Codes({ context, path, sheet }: CodesProps) {
  const { cards: words } = context.words;
  const lines = sheet.cards.map(({ serial, code }) => `${serial}  ${code}`);
  return (
    <section class="notice is-warning">
      <h2>{words.codesTitle}</h2>
      <p>{words.codesText}</p>
      <div class="row">
        <a class="button" href={`${path}/codes.csv`} download>
          {words.csv}
        </a>
        <a class="button quiet" href={`${path}/sheet`} target="_blank" rel="noopener">
          {words.sheet}
        </a>
      </div>
      {lines.length > MAX_LISTED ? null : (
        <details open={lines.length <= FEW}>
          <summary>{`${words.code} (${count(lines.length)})`}</summary>
          <CodeBlock code={lines.join('\n')} language={context.language} />
        </details>
      )}
    </section>
  );
}

/** This many fit a screen; more are folded. */
const FEW = 20;
/** The file has all of them. */
const MAX_LISTED = 200;
