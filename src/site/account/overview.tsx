/** @jsxImportSource hono/jsx */
// The account at a glance: money, what is free, what was spent, what happened last; and for who has just come, what to do.

import type { Child } from 'hono/jsx';
import type { DayBudget } from '../../accounts/day-budgets.ts';
import type { Allowance } from '../../store/book/windows.ts';
import type { Entry, UsageRecord, Wallet } from '../../store/rows.ts';
import { dateTime, money, withGap } from '../format.ts';
import { wordsOf } from '../language.ts';
import type { PageContext } from '../page.tsx';
import { Amount } from '../parts/amount.tsx';
import { Scroll } from '../parts/scroll.tsx';
import { AccountPage, NoticeBox, tabPath } from './frame.tsx';
import { SpendChart, type SpendDay } from './spend-chart.tsx';
import { ShortUsageTable } from './usage-table.tsx';

export interface OverviewFacts {
  accountId: string;
  wallet: Pick<Wallet, 'balance' | 'held' | 'frozen'>;
  /** What is left of the balance, if anything, pays for no call of the models that are used. */
  isUsedUp: boolean;
  minute: Allowance;
  day: Allowance;
  /** Of the key of this session, if it has one. */
  budget: DayBudget | undefined;
  spend: readonly SpendDay[];
  latest: readonly UsageRecord[];
  /** Money that came in, newest first. */
  credits: readonly Entry[];
  /** More came in than is listed. */
  hasMoreCredits: boolean;
}

interface OverviewProps {
  context: PageContext;
  facts: OverviewFacts;
}

export function OverviewPage({ context, facts }: OverviewProps) {
  const { language } = context;
  const { overview, tabs } = wordsOf(language).account;
  const { balance, held, frozen } = facts.wallet;
  /** The figures keep their meaning: what a frozen account has is told, and beside it that it cannot be used. */
  const state = frozen ? <p class="faint">{overview.frozen}</p> : null;
  return (
    <AccountPage context={context} tab="overview" isFrozen={frozen}>
      <NoticeBox notice={facts.isUsedUp && !frozen ? { text: overview.lowBalance, isWarning: true } : undefined}>
        <p>
          <a class="button" href={tabPath('redeem')}>
            {tabs.redeem}
          </a>
        </p>
      </NoticeBox>
      <div class="cards is-money">
        <div>
          <p class="faint">{held > 0n ? overview.available : overview.balance}</p>
          <Amount value={balance - held} />
          {state}
          {frozen || facts.isUsedUp ? null : (
            <p>
              <a href={tabPath('redeem')}>{tabs.redeem}</a>
            </p>
          )}
        </div>
        {held > 0n ? <Held context={context} wallet={facts.wallet} /> : null}
        <Free title={overview.freeMinute} allowance={facts.minute} context={context}>
          {state}
        </Free>
        <Free title={overview.freeDay} allowance={facts.day} context={context}>
          {state}
        </Free>
      </div>
      {facts.budget ? (
        <p>
          {withGap(overview.budgetUsed(money(facts.budget.spent), money(facts.budget.limit)))}
          <span class="faint">{overview.resets(dateTime(facts.budget.resetsAt))}</span>
        </p>
      ) : null}
      {facts.latest.length === 0 ? (
        <NextSteps context={context} />
      ) : (
        <>
          <h2>{overview.spend}</h2>
          <SpendChart days={facts.spend} language={language} />
          <h2>{overview.latest}</h2>
          <ShortUsageTable language={language} records={facts.latest} label={overview.latest} />
        </>
      )}
      <Credits context={context} facts={facts} />
      <p class="faint">
        {overview.accountId} <span class="id">{facts.accountId}</span>
      </p>
    </AccountPage>
  );
}

/** While nothing runs, all of the balance is available: one figure tells it. */
function Held({ context, wallet }: { context: PageContext; wallet: OverviewFacts['wallet'] }) {
  const { overview } = wordsOf(context.language).account;
  return (
    <>
      <div>
        <p class="faint">{overview.balance}</p>
        <Amount value={wallet.balance} />
      </div>
      <div>
        <p class="faint">{overview.held}</p>
        <Amount value={wallet.held} />
      </div>
    </>
  );
}

interface FreeProps {
  title: string;
  allowance: Allowance;
  context: PageContext;
  children?: Child;
}

function Free({ title, allowance, context, children }: FreeProps) {
  const { overview } = wordsOf(context.language).account;
  const { remaining, limit, used, resetsAt } = allowance;
  return (
    <div>
      <p class="faint">{title}</p>
      <strong class="figure">{overview.left(remaining, limit)}</strong>
      {children}
      {used > 0 ? <p class="faint">{overview.resets(dateTime(resetsAt))}</p> : null}
    </div>
  );
}

function NextSteps({ context }: { context: PageContext }) {
  const { overview } = wordsOf(context.language).account;
  const steps = [
    { tab: 'setup', title: overview.nextSetup, text: overview.nextSetupText },
    { tab: 'play', title: overview.nextPlay, text: overview.nextPlayText },
    { tab: 'redeem', title: overview.nextRedeem, text: overview.nextRedeemText },
    { tab: 'access', title: overview.nextAccess, text: overview.nextAccessText },
  ] as const;
  return (
    <>
      <h2>{overview.next}</h2>
      <ol class="steps">
        {steps.map(({ tab, title, text }) => (
          <li>
            <a href={tabPath(tab)}>{title}</a>
            <p class="faint">{text}</p>
          </li>
        ))}
      </ol>
    </>
  );
}

function Credits({ context, facts }: OverviewProps) {
  const { overview, entryKinds } = wordsOf(context.language).account;
  return (
    <>
      <h2>{overview.credits}</h2>
      {facts.credits.length === 0 ? (
        <p class="faint">{overview.noCredits}</p>
      ) : (
        <Scroll label={overview.credits}>
          <table class="flows">
            <tbody>
              {facts.credits.map((entry) => (
                <tr>
                  <td class="number may-wrap">{dateTime(entry.at)}</td>
                  <td class="nowrap">
                    {entryKinds[entry.kind]}
                    {entry.kind === 'card' ? <span class="under id may-wrap">{entry.reference}</span> : null}
                  </td>
                  <td class="right number good">{money(entry.amount)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
      {facts.hasMoreCredits ? <p class="faint">{overview.latestCredits(facts.credits.length)}</p> : null}
    </>
  );
}
