/** @jsxImportSource hono/jsx */
// Today's figures, each against yesterday until the same time of day; its top models and customers, and customers with a low
// balance.

import type { Child } from 'hono/jsx';
import type { Nano } from '../../../kit/money.ts';
import { count, percent, roundedMoney } from '../../../site/format.ts';
import { Figure, Money } from '../../../site/parts/amount.tsx';
import { IdLink } from '../../../site/parts/button.tsx';
import { DataTable, figure } from '../../../site/parts/table.tsx';
import type { SalesPart } from '../../../store/reads.ts';
import { errorRate, type Today } from '../../actions/today.ts';
import { Customer, type Nicknames } from '../customer.tsx';
import type { ConsoleContext } from '../frame.tsx';
import { editPath } from '../models/model-table.tsx';
import type { ConsoleWords } from '../words/words.ts';

interface ListsProps {
  context: ConsoleContext;
  today: Today;
  nicknames: Nicknames;
}

export function TopLists({ context, today: { models, customers }, nicknames }: ListsProps) {
  const { today: words } = context.words;
  const top = (title: string, column: string, parts: readonly SalesPart[], linkTo: (part: string) => Child) => (
    <DataTable
      label={title}
      columns={[column, figure(words.sold), figure(words.calls)]}
      rows={parts.map(({ part, revenue, requests }): Child[] => [
        linkTo(part),
        <Money value={revenue} />,
        count(requests),
      ])}
      none={words.nothingSold}
    />
  );
  return (
    <div class="two is-brief">
      <section>
        <Title text={words.models} path="/models?sort=volume" link={words.allModels} />
        {top(words.models, words.model, models, (model) => (
          <IdLink href={editPath(model)} text={model} />
        ))}
      </section>
      <section>
        <Title text={words.customers} path="/accounts" link={words.allCustomers} />
        {top(words.customers, words.account, customers, (accountId) => (
          <Customer accountId={accountId} nicknames={nicknames} />
        ))}
      </section>
    </div>
  );
}

export function LowBalances({ context, today: { low }, nicknames }: ListsProps) {
  const { today: words } = context.words;
  const isNone = low.length === 0;
  return (
    <section class={isNone ? undefined : 'is-brief'}>
      <h2>{words.low}</h2>
      <p class="faint">{isNone ? words.noneLow : words.lowHelp}</p>
      {isNone ? null : (
        <DataTable
          label={words.low}
          columns={[words.account, figure(words.balance), figure(words.lasts)]}
          rows={low.map(({ accountId, balance, days }): Child[] => [
            <Customer accountId={accountId} nicknames={nicknames} />,
            <Money value={balance} />,
            lastsText(words, days),
          ])}
        />
      )}
    </section>
  );
}

const YEAR = 365;

function lastsText(words: ConsoleWords['today'], days: number): string {
  if (days < 1) return words.lessThanDay;
  return days > YEAR ? words.overAYear : words.days(days);
}

/** A title with a link to all of it. */
export function Title({ text, path, link }: { text: string; path: string; link: string }) {
  return (
    <div class="titled">
      <h2>{text}</h2>
      <a href={path}>{link}</a>
    </div>
  );
}

/** Above this, too many requests fail: as in the alert rule. */
const BAD_RATE = 0.05;

export function TodayFigures({ context, today, lostToday }: Omit<ListsProps, 'nicknames'> & { lostToday: Nano }) {
  const { sales, yesterday } = today;
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
