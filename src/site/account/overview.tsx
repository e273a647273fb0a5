/** @jsxImportSource hono/jsx */
// Overview of the account: balance, free allowances, spending, latest requests, and first steps for a new account.

import { readFreeAllowances } from '../../accounts/account.ts';
import { COUNTED_BUDGETS, readSpending } from '../../accounts/keys/key-spending.ts';
import { visibleKeyIds } from '../../accounts/usage/visible-keys.ts';
import type { Catalog, Model } from '../../catalog/catalog.ts';
import { maxNano, minNano, type Nano } from '../../kit/money.ts';
import { taipeiDay } from '../../kit/taipei.ts';
import { MIN_OUTPUT_TOKENS } from '../../kit/tokens.ts';
import type { Allowance } from '../../store/book/windows.ts';
import { ancestorsOf } from '../../store/key-chain.ts';
import type { UsageRecord } from '../../store/rows.ts';
import { dateTime, withGap } from '../format.ts';
import { NoticeBox } from '../frame.tsx';
import type { PageContext } from '../page.tsx';
import { Figure, Money } from '../parts/amount.tsx';
import { LinkButton, LinkLine } from '../parts/button.tsx';
import { CopyId } from '../parts/code-block.tsx';
import { Table } from '../parts/table.tsx';
import type { SiteTools } from '../tools.ts';
import { BudgetBars, ParentBudgets, readParentBudget } from './budget-bars.tsx';
import { AccountPage, tabPath } from './frame.tsx';
import { readUsageParts, UsageChart } from './usage-chart.tsx';
import { ShortUsageTable } from './usage-list.tsx';
import { datesOf } from './usage-period.ts';
import type { SignedVisit, Visits } from './visits.tsx';

const CHART_DAYS = 30;
const LATEST = 5;
/** How many recent requests show which models a visitor uses, even after a while of free ones only. */
const RECENT = 50;
/** Statements have all of them. */
const CREDITS = 8;

export function addOverview(visits: Visits, tools: SiteTools): void {
  visits.signed('get', '/account', async (visit) => {
    return visit.show(<OverviewPage context={visit.page} facts={await readFacts(tools, visit)} />);
  });
}

async function readFacts(tools: SiteTools, { session }: SignedVisit) {
  const { accountId } = session;
  const { read } = tools.store;
  const today = taipeiDay(tools.clock.now());
  const period = { first: today - CHART_DAYS + 1, end: today + 1 };
  const keyIds = await visibleKeyIds(tools.store, session);
  const [allowances, budgets, page, credits, parts] = await Promise.all([
    readFreeAllowances(tools, accountId),
    readBudgets(tools, session),
    read.usagePage({ accountId, limit: RECENT, ...(keyIds ? { keyIds } : {}) }),
    // A child key does not see how the account was topped up.
    keyIds ? [] : read.creditsOf(accountId, CREDITS + 1),
    readUsageParts(tools.store, { accountId, limit: 0, ...(keyIds ? { keyIds } : {}) }, 'model', period),
  ]);
  const { minute, day, wallet = { balance: 0n, held: 0n, frozen: false } } = allowances;
  return {
    accountId,
    wallet,
    /** The rest of the balance pays for no call of the used models. */
    isUsedUp: isUsedUp(wallet.balance, page.records, tools.catalog()),
    minute,
    day,
    budgets,
    isWholeAccount: keyIds === undefined,
    period,
    parts,
    latest: page.records.slice(0, LATEST),
    /** Money that came in, newest first. */
    credits: credits.slice(0, CREDITS),
    hasMoreCredits: credits.length > CREDITS,
  };
}

async function readBudgets(tools: SiteTools, { accountId, keyId }: SignedVisit['session']) {
  const keys = keyId === null ? [] : await tools.store.read.keysOf(accountId);
  const key = keys.find((one) => one.keyId === keyId);
  if (!key) return undefined;
  const [spendingOf, above] = await Promise.all([
    readSpending(tools, [key]),
    readParentBudget(tools, ancestorsOf(keys, key)),
  ]);
  return { own: spendingOf(key), above };
}

interface OverviewProps {
  context: PageContext;
  facts: Awaited<ReturnType<typeof readFacts>>;
}

function OverviewPage({ context, facts }: OverviewProps) {
  const { overview, tabs } = context.words.account;
  const { balance, held, frozen } = facts.wallet;
  /** A frozen account still shows its balance, with a note that it cannot be used. */
  const state = frozen ? <p class="faint">{overview.frozen}</p> : null;
  const allowances: [title: string, allowance: Allowance][] = [
    [overview.freeMinute, facts.minute],
    [overview.freeDay, facts.day],
  ];
  return (
    <AccountPage context={context} tab="overview" isFrozen={frozen}>
      <NoticeBox notice={facts.isUsedUp && !frozen ? { text: overview.lowBalance, isWarning: true } : undefined}>
        <p>
          <LinkButton href={tabPath('redeem')} text={tabs.redeem} />
        </p>
      </NoticeBox>
      <div class="cards is-money">
        <Figure title={held > 0n ? overview.available : overview.balance} value={balance - held}>
          {state}
          {frozen || facts.isUsedUp ? null : <LinkLine href={tabPath('redeem')} text={tabs.redeem} />}
        </Figure>
        {/* While nothing runs, all of the balance is available: one figure is enough. */}
        {held > 0n ? <Figure title={overview.balance} value={balance} /> : null}
        {held > 0n ? <Figure title={overview.held} value={held} /> : null}
        {allowances.map(([title, { remaining, limit, used, resetsAt }]) => (
          <Figure title={title} value={overview.left(remaining, limit)}>
            {state}
            {used > 0 ? <p class="faint">{overview.resets(dateTime(resetsAt))}</p> : null}
          </Figure>
        ))}
      </div>
      <OwnBudgets context={context} facts={facts} />
      {facts.latest.length === 0 ? <NextSteps context={context} /> : <Latest context={context} facts={facts} />}
      {facts.isWholeAccount ? <Credits context={context} facts={facts} /> : null}
      <p class="faint">
        {overview.accountId} <CopyId language={context.language} id={facts.accountId} name={overview.accountId} />
      </p>
    </AccountPage>
  );
}

/** Shows the key that the visitor signed in with. */
function OwnBudgets({ context, facts: { budgets } }: OverviewProps) {
  const { keys, overview } = context.words.account;
  if (!budgets) return null;
  const { own, above } = budgets;
  const hasBar = COUNTED_BUDGETS.some((name) => own[name].limit !== null);
  if (!above && !hasBar) return null;
  return (
    <>
      <h2>{overview.budgets}</h2>
      <ParentBudgets context={context} above={above} />
      <BudgetBars context={context} spending={own} />
      {hasBar ? <p class="faint">{keys.budgetMarks}</p> : null}
    </>
  );
}

function NextSteps({ context }: { context: PageContext }) {
  const { overview } = context.words.account;
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

function Latest({ context, facts: { period, parts, latest } }: OverviewProps) {
  const { overview } = context.words.account;
  const cost = parts.reduce((sum, one) => sum + one.cost, 0n);
  const addressOf = (filters: Readonly<Record<string, string>>) =>
    `${tabPath('usage')}?${new URLSearchParams(filters)}`;
  return (
    <>
      <h2>
        {overview.spend}{' '}
        <small>
          <Money value={cost} />
        </small>
      </h2>
      {cost === 0n ? (
        <p class="faint">{overview.noSpend}</p>
      ) : (
        <UsageChart
          {...{ context, period, parts, measure: 'cost', by: 'model' }}
          nameOf={(id) => id}
          hrefOfDates={(dates) => addressOf({ ...dates })}
          hrefOfGroup={(model) => addressOf({ from: datesOf(period).from, model })}
        />
      )}
      <h2>{overview.latest}</h2>
      <ShortUsageTable context={context} records={latest} label={overview.latest} />
      <LinkLine href={tabPath('usage')} text={overview.allUsage} />
    </>
  );
}

function Credits({ context, facts: { credits, hasMoreCredits } }: OverviewProps) {
  const { overview, entryKinds } = context.words.account;
  return (
    <>
      <h2>{overview.credits}</h2>
      {credits.length === 0 ? (
        <p class="faint">{overview.noCredits}</p>
      ) : (
        <Table label={overview.credits} class="flows">
          {credits.map(({ at, kind, reference, amount, debit, accountId }) => (
            <tr>
              <td class="number may-wrap">{dateTime(at)}</td>
              <td class="nowrap">
                {entryKinds[kind]}
                {kind === 'card' ? <span class="under id may-wrap">{reference}</span> : null}
              </td>
              <td class={debit === accountId ? 'right number' : 'right number good'}>
                <Money value={debit === accountId ? -amount : amount} />
              </td>
            </tr>
          ))}
        </Table>
      )}
      <p>
        {hasMoreCredits ? <span class="faint">{withGap(overview.latestCredits(credits.length))}</span> : null}
        <a href="/account/statements">{context.words.statements.title}</a>
      </p>
    </>
  );
}

/**
 * Whether the balance is too low for another call: of the paid models in the latest requests, or of any paid chat model if
 * there were none. A cheap model that the account never used does not count.
 */
function isUsedUp(balance: Nano, latest: readonly UsageRecord[], { models }: Catalog): boolean {
  const paid = models.filter(({ free }) => !free);
  const chats = paid.filter(({ kinds }) => kinds.includes('chat'));
  const asked = new Set(latest.map(({ model }) => model));
  const used = paid.filter(({ id }) => asked.has(id));
  const [first = 0n, ...others] = (used.length > 0 ? used : chats).map(leastCall);
  return balance < maxNano(1n, minNano(first, ...others));
}

/** The smallest hold of an ordinary call: one image, second, character or search, or a minimum of tokens. */
function leastCall({ prices: { input, output, image, second, character, search } }: Model): Nano {
  return (input + output) * BigInt(MIN_OUTPUT_TOKENS) + image + second + character + search;
}
