/** @jsxImportSource hono/jsx */
// One batch: its codes for as long as they are remembered, and what became of its cards.

import { count, date, dateTime, money } from '../../../site/format.ts';
import { wordsOf } from '../../../site/language.ts';
import { CodeBlock } from '../../../site/parts/code-block.tsx';
import { Facts } from '../../../site/parts/facts.tsx';
import type { BatchView, CardSheet, CardStateView, CardView } from '../../actions/cards.ts';
import { type ConsoleContext, ConsolePage, type Notice } from '../frame/frame.tsx';
import { consoleWords } from '../words/words.ts';
import { CardTable } from './card-table.tsx';

export const CARD_STATES = ['issued', 'redeemed', 'voided', 'expired'] as const;

interface BatchProps {
  context: ConsoleContext;
  batch: BatchView;
  cards: readonly CardView[];
  state: CardStateView | undefined;
  /** Codes while they are remembered. */
  sheet: CardSheet | undefined;
  isNew: boolean;
  notice?: Notice | undefined;
}

export function BatchPage({ context, batch, cards, state, sheet, isNew, notice }: BatchProps) {
  const { cards: words } = consoleWords(context.language);
  const path = `/cards/batches/${batch.batchId}`;
  const facts: [title: string, value: string][] = [
    [words.batch, batch.batchId],
    [words.created, dateTime(batch.createdAt)],
    [words.kind, words[batch.kind]],
    [words.total, money(batch.amount * BigInt(batch.count))],
    ...(batch.expiresAt === null ? [] : [[words.expires, date(batch.expiresAt - 1)] satisfies [string, string]]),
    ...CARD_STATES.map((name): [string, string] => [words[name], count(batch.states[name])]),
    ...(batch.note === null ? [] : [[words.note, batch.note] satisfies [string, string]]),
  ];
  return (
    <ConsolePage
      context={context}
      section="cards"
      title={words.batchTitle(money(batch.amount), count(batch.count))}
      notice={notice}
    >
      <Facts facts={facts} />
      {sheet ? (
        <Codes context={context} path={path} sheet={sheet} isOpen={isNew} />
      ) : (
        <p class="note">{words.codesGone}</p>
      )}
      <h2>{words.cardsOfBatch}</h2>
      <nav class="tabs" aria-label={words.filter}>
        {[undefined, ...CARD_STATES].map((name) => (
          <a
            href={name === undefined ? path : `${path}?state=${name}`}
            {...(name === state ? { 'aria-current': 'page' as const } : {})}
          >
            {name === undefined ? words.all : `${words[name]} ${count(batch.states[name])}`}
          </a>
        ))}
      </nav>
      {cards.length === 0 ? (
        <p class="empty">{words.noCards}</p>
      ) : (
        <form method="post" action="/cards/void">
          <input type="hidden" name="batch" value={batch.batchId} />
          <CardTable context={context} cards={cards} isChoosable />
          {cards.length < (state === undefined ? batch.count : batch.states[state]) ? (
            <p class="faint">{words.shownOf(count(cards.length))}</p>
          ) : null}
          <div class="row">
            <button type="submit" class="quiet">
              {words.voidChosen}
            </button>
            <button type="submit" class="quiet" name="all" value="yes">
              {words.voidAll}
            </button>
          </div>
        </form>
      )}
    </ConsolePage>
  );
}

export function CodesGonePage({ context, batch }: Pick<BatchProps, 'context' | 'batch'>) {
  const { cards: words } = consoleWords(context.language);
  const title = words.batchTitle(money(batch.amount), count(batch.count));
  return (
    <ConsolePage context={context} section="cards" title={title} notice={{ text: words.codesGone, isBad: true }}>
      <p>
        <a class="button quiet" href={`/cards/batches/${batch.batchId}`}>
          {words.toBatch}
        </a>
      </p>
    </ConsolePage>
  );
}

interface CodesProps {
  context: ConsoleContext;
  path: string;
  sheet: CardSheet;
  isOpen: boolean;
}

function Codes({ context, path, sheet, isOpen }: CodesProps) {
  const { cards: words } = consoleWords(context.language);
  const { frame } = wordsOf(context.language);
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
      <details open={isOpen && lines.length <= FEW}>
        <summary>{`${words.code} (${count(lines.length)})`}</summary>
        <CodeBlock code={lines.join('\n')} label={frame.copy} done={frame.copied} />
      </details>
    </section>
  );
}

/** So many fit a screen; more are folded away. */
const FEW = 20;
