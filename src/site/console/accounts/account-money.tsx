/** @jsxImportSource hono/jsx */
// What an account spent, its entries, what is held, and its latest requests.

import { taipeiDay } from '../../../kit/taipei.ts';
import { ENTRIES_SHOWN } from '../../../operating/accounts.ts';
import { count, money, time } from '../../format.ts';
import { RequestStatus } from '../../parts/request-status.tsx';
import { consoleWords } from '../../words/console/words.ts';
import { DataTable } from '../parts/data-table.tsx';
import { dayText } from '../parts/day-text.ts';
import { MoneyBars } from '../parts/money-bars.tsx';
import type { AccountProps } from './account-props.ts';

export function AccountMoney(props: AccountProps) {
  const { context, account } = props;
  const { accounts } = consoleWords(context.language);
  return (
    <>
      {account.spendByDay.length > 0 ? (
        <section>
          <h2>{accounts.spend}</h2>
          <MoneyBars days={lastDays(props)} label={accounts.spendLabel} />
        </section>
      ) : null}
      <Entries {...props} />
      <Holds {...props} />
      <Usage {...props} />
    </>
  );
}

/** The last thirty, those without a request included. */
function lastDays({ account, now }: AccountProps): { day: string; amount: bigint }[] {
  const costs = new Map(account.spendByDay.map(({ day, cost }) => [day, cost]));
  const today = taipeiDay(now);
  return Array.from({ length: DAYS }, (_, index) => {
    const day = today - DAYS + 1 + index;
    return { day: dayText(day), amount: costs.get(day) ?? 0n };
  });
}

const DAYS = 30;

function Entries({ context, account }: AccountProps) {
  const { accounts } = consoleWords(context.language);
  const kinds = {
    trial: accounts.trial,
    card: accounts.card,
    credit: accounts.kindCredit,
    usage: accounts.usage,
    write_off: accounts.write_off,
  };
  return (
    <section>
      <h2>{accounts.entries}</h2>
      {account.entries.length < ENTRIES_SHOWN ? null : <p class="faint">{accounts.latestEntries(ENTRIES_SHOWN)}</p>}
      {account.entries.length === 0 ? (
        <p class="empty">{accounts.noEntries}</p>
      ) : (
        <DataTable
          label={accounts.entries}
          columns={[
            { text: accounts.at },
            { text: accounts.entry },
            { text: accounts.change, isFigure: true },
            { text: accounts.after, isFigure: true },
            { text: accounts.note },
          ]}
          rows={account.entries.map((entry) => [
            <span class="number">{time(entry.at)}</span>,
            kinds[entry.kind],
            entry.credit === account.accountId ? `+${money(entry.amount)}` : money(-entry.amount),
            entry.balanceAfter === null ? '–' : money(entry.balanceAfter),
            <>
              {entry.note}
              <span class={entry.note === null ? 'id faint' : 'under id'}>{entry.reference}</span>
            </>,
          ])}
        />
      )}
    </section>
  );
}

function Holds({ context, account }: AccountProps) {
  const { accounts } = consoleWords(context.language);
  return (
    <section>
      <h2>{accounts.holds}</h2>
      {account.holds.length === 0 ? (
        <p class="empty">{accounts.noHolds}</p>
      ) : (
        <DataTable
          label={accounts.holds}
          columns={[{ text: accounts.request }, { text: accounts.key }]}
          rows={account.holds.map(({ requestId, keyId }) => [
            <span class="id">{requestId}</span>,
            <span class="id">{keyId}</span>,
          ])}
        />
      )}
    </section>
  );
}

function Usage({ context, account }: AccountProps) {
  const { accounts } = consoleWords(context.language);
  return (
    <section>
      <h2>{accounts.latest}</h2>
      {account.usage.length === 0 ? (
        <p class="empty">{accounts.noUsage}</p>
      ) : (
        <DataTable
          label={accounts.latest}
          columns={[
            { text: accounts.at },
            { text: accounts.model },
            { text: accounts.channel },
            { text: accounts.outcome },
            { text: accounts.tokens, isFigure: true },
            { text: accounts.cost, isFigure: true },
          ]}
          rows={account.usage.map((record) => [
            <>
              <span class="number">{time(record.at)}</span>
              <span class="under id">{record.requestId}</span>
            </>,
            <span class="id">{record.model}</span>,
            <span class="id">{record.channel ?? '–'}</span>,
            <RequestStatus language={context.language} status={record.status} />,
            `${count(record.input + record.cachedInput + record.cacheWrite5m + record.cacheWrite1h)} / ${count(record.output)}`,
            money(record.cost),
          ])}
        />
      )}
    </section>
  );
}
