// The account at a glance: money, what is free, what was spent, what happened last.

import type { Allowance } from '../../store/book/windows.ts';
import type { Entry, UsageRecord, Wallet } from '../../store/rows.ts';
import { dateTime, money } from '../format.ts';
import { wordsOf } from '../language.ts';
import type { PageContext } from '../page.tsx';
import { Scroll } from '../parts/scroll.tsx';
import { AccountPage } from './frame.tsx';
import { SpendChart, type SpendDay } from './spend-chart.tsx';
import { ShortUsageTable } from './usage-table.tsx';

export interface OverviewFacts {
  accountId: string;
  wallet: Pick<Wallet, 'balance' | 'held'>;
  minute: Allowance;
  day: Allowance;
  spend: readonly SpendDay[];
  latest: readonly UsageRecord[];
  /** Money that came in, newest first. */
  entries: readonly Entry[];
}

export function OverviewPage({ context, facts }: { context: PageContext; facts: OverviewFacts }) {
  const { language } = context;
  const { account } = wordsOf(language);
  const { overview } = account;
  const { balance, held } = facts.wallet;
  return (
    <AccountPage context={context} tab="overview" notice={balance === 0n ? { text: overview.lowBalance } : undefined}>
      <div class="cards">
        <Figure title={overview.available} value={money(balance - held)} isMain />
        <Figure title={overview.balance} value={money(balance)} />
        <Figure title={overview.held} value={money(held)} />
        <Free title={overview.freeMinute} allowance={facts.minute} context={context} />
        <Free title={overview.freeDay} allowance={facts.day} context={context} />
      </div>
      <h2>{overview.spend}</h2>
      <SpendChart days={facts.spend} language={language} />
      <h2>{overview.latest}</h2>
      {facts.latest.length === 0 ? (
        <p class="empty">
          {overview.none} <a href="/account/setup">{overview.toSetup}</a>
        </p>
      ) : (
        <ShortUsageTable language={language} records={facts.latest} />
      )}
      <h2>{overview.entries}</h2>
      <Scroll label={overview.entries}>
        <table>
          <tbody>
            {facts.entries.map((entry) => (
              <tr>
                <td class="nowrap number">{dateTime(entry.at)}</td>
                <td>{account.entryKinds[entry.kind]}</td>
                <td class="right number good">{money(entry.amount)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      <p class="faint">
        {overview.accountId} <span class="id">{facts.accountId}</span>
      </p>
    </AccountPage>
  );
}

function Figure({ title, value, isMain = false }: { title: string; value: string; isMain?: boolean }) {
  return (
    <div>
      <p class="faint">{title}</p>
      <strong class={isMain ? 'figure is-main' : 'figure'}>{value}</strong>
    </div>
  );
}

function Free({ title, allowance, context }: { title: string; allowance: Allowance; context: PageContext }) {
  const { overview } = wordsOf(context.language).account;
  const { remaining, limit, used, resetsAt } = allowance;
  return (
    <div>
      <p class="faint">{title}</p>
      <strong class="figure">{remaining}</strong>
      <p class="faint">
        {overview.left(remaining, limit)}
        {used > 0 ? ` · ${overview.resets(dateTime(resetsAt))}` : ''}
      </p>
    </div>
  );
}
