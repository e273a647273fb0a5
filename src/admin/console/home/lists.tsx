/** @jsxImportSource hono/jsx */
// Top models and customers of today, and customers with a low balance.

import type { Child } from 'hono/jsx';
import { count } from '../../../site/format.ts';
import { Money } from '../../../site/parts/amount.tsx';
import { IdLink } from '../../../site/parts/button.tsx';
import { DataTable, figure } from '../../../site/parts/table.tsx';
import type { SalesPart } from '../../../store/reads.ts';
import type { Today } from '../../actions/today.ts';
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
  if (low.length === 0) {
    return (
      <section>
        <h2>{words.low}</h2>
        <p class="faint">{words.noneLow}</p>
      </section>
    );
  }
  return (
    <section class="is-brief">
      <h2>{words.low}</h2>
      <p class="faint">{words.lowHelp}</p>
      <DataTable
        label={words.low}
        columns={[words.account, figure(words.balance), figure(words.lasts)]}
        rows={low.map(({ accountId, balance, days }): Child[] => [
          <Customer accountId={accountId} nicknames={nicknames} />,
          <Money value={balance} />,
          lastsText(words, days),
        ])}
      />
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
