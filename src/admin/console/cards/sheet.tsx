/** @jsxImportSource hono/jsx */
// Cards to print and cut: value, code, serial number, and a QR code that opens the page where it is redeemed.

import type { QrCodeGenerateResult } from 'uqr';
import type { Issuer } from '../../../catalog/document.ts';
import { date, money } from '../../../site/format.ts';
import { wordsOf } from '../../../site/language.ts';
import type { CardSheet } from '../../actions/cards.ts';
import { type ConsoleContext, ConsolePage } from '../frame.tsx';
import { type PageOf, Pager } from '../pager.tsx';

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
