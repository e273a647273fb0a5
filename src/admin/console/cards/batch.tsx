/** @jsxImportSource hono/jsx */
// One batch: its codes for as long as they are remembered, and what became of its cards.

import { setImmediate } from 'node:timers/promises';
import { encode, type QrCodeGenerateResult } from 'uqr';
import type { Issuer } from '../../../catalog/document.ts';
import { count, date, dateTime, money } from '../../../site/format.ts';
import { Tabs } from '../../../site/frame.tsx';
import { wordsOf } from '../../../site/language.ts';
import { LinkButton, Submit } from '../../../site/parts/button.tsx';
import { CodeBlock, CopyId } from '../../../site/parts/code-block.tsx';
import { Hidden } from '../../../site/parts/field.tsx';
import { type Fact, Facts } from '../../../site/parts/table.tsx';
import { wholeNumber } from '../../../site/read-form.ts';
import {
  type BatchView,
  CARD_STATES,
  type CardSheet,
  type CardStateView,
  cardSheet,
  listCards,
  showBatch,
} from '../../actions/cards.ts';
import { readNewest } from '../../actions/newest.ts';
import { type ConsoleContext, ConsolePage } from '../frame.tsx';
import { Pager, pageIn } from '../pager.tsx';
import type { Shown } from '../refused.ts';
import type { ConsoleVisit } from '../visits.tsx';
import { CardTable, SHOWN_CARDS } from './cards.tsx';

export async function showCardsOf(
  visit: ConsoleVisit,
  batchId: string,
  { notice, status = 200 }: Shown = {},
): Promise<Response> {
  const { tools } = visit;
  const { searchParams } = visit.url;
  const path = `/cards/batches/${batchId}`;
  const context = { ...visit.page, path };
  const { cards: words } = context.words;
  const batch = await showBatch(tools, batchId);
  const state = CARD_STATES.find((name) => name === searchParams.get('state'));
  const part = pageIn(wholeNumber(searchParams, 'page'), SHOWN_CARDS, state ? batch.states[state] : batch.count);
  const cards = (await listCards(tools, { batchId, state }, part.from + SHOWN_CARDS)).slice(part.from);
  const sheet = await cardSheet(tools, batchId);
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
  return visit.show(
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
    </ConsolePage>,
    { status },
  );
}

function titleOf(context: ConsoleContext, { amount, count: many }: BatchView): string {
  return context.words.cards.batchTitle(money(amount), count(many));
}

/** The batch exists, but its codes are no longer kept. */
export async function showGone({ page: context, params, show, tools }: ConsoleVisit): Promise<Response> {
  const { codesGone: text, toBatch } = context.words.cards;
  const batch = await showBatch(tools, params.id ?? '');
  const title = titleOf(context, batch);
  return show(
    <ConsolePage context={context} section="cards" title={title} notice={{ text, isBad: true }}>
      <p>
        <LinkButton look="quiet" href={`/cards/batches/${batch.batchId}`} text={toBatch} />
      </p>
    </ConsolePage>,
    { status: 404 },
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

/** A QR code takes two to three kilobytes. */
const ON_A_SHEET = 16;

export async function showSheet(visit: ConsoleVisit): Promise<Response> {
  const { page: context, tools } = visit;
  const { cards: words } = context.words;
  const sheet = await cardSheet(tools, visit.params.id ?? '');
  if (!sheet) return showGone(visit);
  const { batch } = sheet;
  const part = pageIn(wholeNumber(visit.url.searchParams, 'page'), ON_A_SHEET, sheet.cards.length);
  const cards = [];
  for (const card of sheet.cards.slice(part.from, part.from + ON_A_SHEET)) {
    cards.push({ ...card, qr: encode(card.link, { ecc: 'M', border: QR_BORDER }) });
    // Each code takes milliseconds; other requests run in between.
    await setImmediate();
  }
  const { issuer } = (await readNewest(tools)).document;
  return visit.show(
    <ConsolePage context={context} section="cards" title={words.sheetTitle} lead={words.print}>
      <Pager context={context} path={`/cards/batches/${batch.batchId}/sheet`} {...part} />
      <ul class="paper-cards">
        {cards.map(({ serial, code, link, qr }) => (
          <li>
            <Qr code={qr} label={code} />
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
    </ConsolePage>,
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
const QR_BORDER = 4;

function Qr({ code: { size, data }, label }: { code: QrCodeGenerateResult; label: string }) {
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
