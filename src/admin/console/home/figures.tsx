/** @jsxImportSource hono/jsx */
// Today's figures, each against yesterday until the same time of day.

import type { Child } from 'hono/jsx';
import type { Nano } from '../../../kit/money.ts';
import { count, percent, roundedMoney } from '../../../site/format.ts';
import { Figure } from '../../../site/parts/amount.tsx';
import { errorRate, type Today } from '../../actions/today.ts';
import type { ConsoleContext } from '../frame.tsx';
import type { ConsoleWords } from '../words/words.ts';

interface FiguresProps {
  context: ConsoleContext;
  today: Today;
  lostToday: Nano;
}

/** Above this, too many requests fail: as in the alert rule. */
const BAD_RATE = 0.05;

export function TodayFigures({ context, today: { sales, yesterday }, lostToday }: FiguresProps) {
  const { today: words, losses } = context.words;
  const rate = errorRate(sales);
  const against = (text: string | undefined, change?: string) => (
    <p class="faint against">
      {change ? <strong>{change} </strong> : null}
      {text === undefined ? words.yesterdayUnknown : words.yesterday(text)}
    </p>
  );
  const link = (path: string, text: string): Child => <a href={path}>{text}</a>;
  return (
    <div class="cards is-today">
      <Figure title={link('/ledger', words.revenue)} value={sales.revenue}>
        {against(
          yesterday ? roundedMoney(yesterday.revenue) : undefined,
          change(Number(sales.revenue), Number(yesterday?.revenue ?? 0n)),
        )}
      </Figure>
      <Figure
        title={link('/ledger/profit', words.profit)}
        value={sales.profit === null ? <span class="faint">{words.profitUnknown}</span> : sales.profit}
      >
        {against(
          yesterday ? profitText(words, yesterday.profit) : undefined,
          yesterday?.profit && sales.profit !== null
            ? change(Number(sales.profit), Number(yesterday.profit))
            : undefined,
        )}
      </Figure>
      <Figure title={link('/models?sort=volume', words.requests)} value={count(sales.requests)}>
        {against(yesterday ? count(yesterday.requests) : undefined, change(sales.requests, yesterday?.requests ?? 0))}
      </Figure>
      <Figure
        title={link('/channels', words.errors)}
        value={<span class={rate !== null && rate > BAD_RATE ? 'bad' : ''}>{percent(rate)}</span>}
      >
        {against(yesterday ? percent(errorRate(yesterday)) : undefined)}
      </Figure>
      <Figure title={link('/accounts', words.accounts)} value={count(sales.accounts)}>
        {against(yesterday ? count(yesterday.accounts) : undefined, change(sales.accounts, yesterday?.accounts ?? 0))}
      </Figure>
      <Figure title={link('/ledger/losses', losses.today)} value={lostToday} />
    </div>
  );
}

function profitText(words: ConsoleWords['today'], profit: Nano | null): string {
  return profit === null ? words.profitUnknown : roundedMoney(profit);
}

/** As `+12.0 %`; undefined if nothing changed, or there is nothing to compare with. Only for reading: doubles are exact enough. */
function change(now: number, before: number): string | undefined {
  if (before <= 0 || now === before) return undefined;
  const share = (now - before) / before;
  return `${share < 0 ? '−' : '+'}${percent(Math.abs(share))}`;
}
