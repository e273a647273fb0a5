/** @jsxImportSource hono/jsx */
// One batch: its codes for as long as they are remembered, and what became of its cards.

import type { QrCodeGenerateResult } from 'uqr';
import type { Issuer } from '../../../catalog/document.ts';
import { count, date, dateTime, money } from '../../../site/format.ts';
import { type Notice, Tabs } from '../../../site/frame.tsx';
import { wordsOf } from '../../../site/language.ts';
import { LinkButton, Submit } from '../../../site/parts/button.tsx';
import { CodeBlock, CopyId } from '../../../site/parts/code-block.tsx';
import { Hidden } from '../../../site/parts/field.tsx';
import { type Fact, Facts } from '../../../site/parts/table.tsx';
import { type BatchView, CARD_STATES, type CardSheet, type CardStateView, type CardView } from '../../actions/cards.ts';
import { type ConsoleContext, ConsolePage } from '../frame.tsx';
import { type PageOf, Pager } from '../pager.tsx';
import { CardTable } from './cards.tsx';

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

function Codes({ context, path, sheet }: { context: ConsoleContext; path: string; sheet: CardSheet }) {
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

/** With its border. */
export type QrCode = Pick<QrCodeGenerateResult, 'size' | 'data'>;

interface SheetProps {
  context: ConsoleContext;
  sheet: CardSheet;
  /** By the link of the card. */
  codes: ReadonlyMap<string, QrCode>;
  part: PageOf;
  issuer: Issuer;
}

export function SheetPage({ context, sheet, codes, part, issuer }: SheetProps) {
  const { cards: words } = context.words;
  const { batch, cards } = sheet;
  return (
    <ConsolePage context={context} section="cards" title={words.sheetTitle} lead={words.print}>
      <Pager context={context} path={`/cards/batches/${batch.batchId}/sheet`} {...part} />
      <ul class="paper-cards">
        {cards.map(({ serial, code, link }) => (
          <li>
            <Qr code={codes.get(link)} label={code} />
            <div>
              <p class="who">{issuer.name ?? context.siteName}</p>
              <p class="worth">{money(batch.amount)}</p>
              <p class="id">{code}</p>
              <p class="small-print">{words.sheetHow}</p>
              <p class="small-print id">
                <Address link={link} />
              </p>
              <p class="small-print id">{serial}</p>
              {batch.expiresAt === null ? null : (
                <p class="small-print">
                  {words.expires} {date(batch.expiresAt - 1)}
                </p>
              )}
              <IssuerLines context={context} issuer={issuer} />
            </div>
          </li>
        ))}
      </ul>
    </ConsolePage>
  );
}

/** Where the issuer is found, and that tax is included. */
function IssuerLines({ context, issuer }: { context: ConsoleContext; issuer: Issuer }) {
  const { statements } = wordsOf(context.language);
  const { tax_id: taxId, address, phone, tax, invoice_note: note } = issuer;
  const contact = [taxId && `${statements.taxId} ${taxId}`, phone].filter((text) => text).join(' · ');
  const lines = [contact, address, tax > 0 ? statements.onCard(tax) : '', note];
  return <>{lines.flatMap((text) => (text ? [<p class="small-print">{text}</p>] : []))}</>;
}

/** As it is typed: without its scheme, and in two lines only between the host and the page. */
function Address({ link }: { link: string }) {
  const [, host, path] = /^\w+:\/\/(.*?)(\/account\/redeem)?(?:#.*)?$/.exec(link) ?? [];
  return (
    <>
      {host ?? link}
      <wbr />
      {path}
    </>
  );
}

/** The light border of four modules belongs to the code. */
export const QR_BORDER = 4;

function Qr({ code, label }: { code: QrCode | undefined; label: string }) {
  if (!code) return null;
  const { size, data } = code;
  return (
    <svg class="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={`QR ${label}`} shape-rendering="crispEdges">
      <rect width={size} height={size} class="light" />
      <path class="dark" d={`M0 0.5${data.map(darkBars).join('')}`} />
    </svg>
  );
}

/** Each run of dark modules is a line, drawn from where the one before ended; then on to the next row. */
function darkBars(row: readonly boolean[]): string {
  let bars = '';
  let at = 0;
  for (let x = row.indexOf(true); x >= 0; x = row.indexOf(true, at)) {
    const light = row.indexOf(false, x);
    const end = light < 0 ? row.length : light;
    bars += `${x === at ? '' : `m${x - at} 0`}h${end - x}`;
    at = end;
  }
  return `${bars}m${-at} 1`;
}
