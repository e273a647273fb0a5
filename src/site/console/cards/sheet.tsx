/** @jsxImportSource hono/jsx */
// Cards to print and cut: value, code, serial number, and a QR code that opens the page where it is redeemed.

import type { CardSheet } from '../../../operating/cards.ts';
import { date, money } from '../../format.ts';
import { consoleWords } from '../../words/console/words.ts';
import { type ConsoleContext, ConsolePage } from '../frame/frame.tsx';
import type { QrCode } from '../qr/qr-code.ts';

interface SheetProps {
  context: ConsoleContext;
  sheet: CardSheet;
  /** By the link of the card; undefined where a link is too long for one. */
  codes: ReadonlyMap<string, QrCode | undefined>;
  /** The other parts of a long sheet. */
  parts: readonly { path: string; text: string }[];
}

export function SheetPage({ context, sheet, codes, parts }: SheetProps) {
  const { cards: words } = consoleWords(context.language);
  const { batch, cards } = sheet;
  return (
    <ConsolePage context={context} section="cards" title={words.sheetTitle} lead={words.print}>
      {parts.length > 0 ? (
        <nav class="tabs" aria-label={words.sheetTitle}>
          {parts.map(({ path, text }) => (
            <a href={path} {...(path === context.path + context.query ? { 'aria-current': 'page' as const } : {})}>
              {text}
            </a>
          ))}
        </nav>
      ) : null}
      <ul class="paper-cards">
        {cards.map(({ serial, code, link }) => (
          <li>
            <Qr code={codes.get(link)} label={code} />
            <div>
              <p class="who">{context.siteName}</p>
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
            </div>
          </li>
        ))}
      </ul>
    </ConsolePage>
  );
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
const BORDER = 4;

function Qr({ code, label }: { code: QrCode | undefined; label: string }) {
  if (!code) return null;
  const size = code.size + BORDER * 2;
  return (
    <svg class="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={`QR ${label}`} shape-rendering="crispEdges">
      <rect width={size} height={size} class="light" />
      <path class="dark" d={darkPath(code)} />
    </svg>
  );
}

/** Each run of dark modules in a row is one bar. */
function darkPath({ size, isDark }: QrCode): string {
  const bars: string[] = [];
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      if (!isDark(x, y)) continue;
      const start = x;
      while (x + 1 < size && isDark(x + 1, y)) x++;
      bars.push(`M${start + BORDER} ${y + BORDER}h${x - start + 1}v1h-${x - start + 1}z`);
    }
  }
  return bars.join('');
}
