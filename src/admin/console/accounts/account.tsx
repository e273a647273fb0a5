/** @jsxImportSource hono/jsx */
// The summary of one account: its money, what it spent by day, and what an operator can do or did. Never content of requests.

import type { Child } from 'hono/jsx';
import { ntdNumber } from '../../../kit/money.ts';
import { taipeiDay } from '../../../kit/taipei.ts';
import { count, dateTime, percent } from '../../../site/format.ts';
import { NoticeBox, Tabs } from '../../../site/frame.tsx';
import { Figure, Money } from '../../../site/parts/amount.tsx';
import { LinkButton, Submit } from '../../../site/parts/button.tsx';
import { Chart } from '../../../site/parts/chart.tsx';
import { CopyId } from '../../../site/parts/code-block.tsx';
import { SelectField, TextArea, TextField } from '../../../site/parts/field.tsx';
import { type Fact, Facts } from '../../../site/parts/table.tsx';
import { type AccountPages, type AccountView, showAccount } from '../../actions/accounts.ts';
import { MAX_NICKNAME_CHARS, MAX_NOTE_CHARS } from '../../actions/describe-account.ts';
import { dayText } from '../../actions/ledger.ts';
import { type AccountRow, accountFigures } from '../../actions/list-accounts.ts';
import { type ConsoleContext, ConsolePage } from '../frame.tsx';
import { chartMoney } from '../ledger/profit.tsx';
import { type FormProps, fieldsIn, type Shown } from '../refused.ts';
import type { ConsoleVisit } from '../visits.tsx';
import { Actions } from '../watch/action-pages.tsx';

/** With the figures that the list of accounts shows of it. */
type SummaryProps = AccountProps & { figures: AccountRow | undefined };

export async function showSummary(visit: ConsoleVisit, { status = 200, ...shown }: Shown = {}): Promise<Response> {
  const read = await readAccount(visit, 'summary');
  const { context, account } = read;
  const props = { ...read, ...shown, figures: await accountFigures(visit.tools, account.accountId) };
  const { accounts } = context.words;
  const { wallet } = account;
  return visit.show(
    <AccountFrame {...props} tab="summary">
      {account.note === null ? null : <p class="account-note">{account.note}</p>}
      <div class="cards is-money">
        <Figure title={accounts.available} value={wallet.balance - wallet.held} />
        <Figure title={accounts.balance} value={wallet.balance} />
        <Figure
          title={`${accounts.held} · ${accounts.running} ${count(wallet.inFlight + wallet.freeInFlight)}`}
          value={wallet.held}
        />
      </div>
      <Month {...props} />
      <Facts facts={factsOf(props)} />
      {account.spendByDay.length > 0 ? <Spend {...props} today={taipeiDay(visit.tools.clock.now())} /> : null}
      <AccountActions {...props} />
      <h2>{accounts.actions}</h2>
      <Actions context={context} actions={account.actions} none={accounts.noActions} subject={account.accountId} />
    </AccountFrame>,
    { status },
  );
}

/** The figures of the last 30 days. */
function Month({ context, figures }: SummaryProps) {
  const { customers, profit } = context.words;
  if (!figures) return null;
  const { spend30d, profit30d, failureRate, requests30d } = figures;
  const failed = count(Math.round((failureRate ?? 0) * requests30d));
  return (
    <div class="cards is-money">
      <Figure title={customers.spend} value={spend30d} />
      <Figure title={customers.profit} value={profit30d ?? profit.unknown} />
      <Figure title={customers.failureRate} value={percent(failureRate)}>
        <p class="faint">{customers.failureOf(failed, count(requests30d))}</p>
      </Figure>
    </div>
  );
}

function factsOf({ context, account, figures }: SummaryProps): Fact[] {
  const { accounts, customers, losses } = context.words;
  const { createdAt, loginName, lostToday, lost } = account;
  const lastSeenAt = figures?.lastSeenAt ?? null;
  return [
    ...(createdAt === undefined ? [] : [[accounts.created, dateTime(createdAt)] as const]),
    [accounts.login, loginName ?? '–'],
    [customers.lastSeen, lastSeenAt === null ? customers.never : dateTime(lastSeenAt)],
    [losses.today, <Money value={lostToday} />],
    [losses.month, <Money value={lost} />],
  ];
}

const DAYS = 30;

/** The last thirty days, those without a request included. */
function Spend({ context, account, today }: AccountProps & { today: number }) {
  const { accounts, customers } = context.words;
  const costs = new Map(account.spendByDay.map(({ day, cost }) => [day, cost]));
  const days = Array.from({ length: DAYS }, (_, index) => today - DAYS + 1 + index);
  return (
    <section>
      <h2>{accounts.spend}</h2>
      <Chart
        title={accounts.spend}
        columns={days.map((day) => ({ label: dayText(day).slice(5), title: dayText(day) }))}
        series={[{ name: accounts.spend, look: 1, values: days.map((day) => ntdNumber(costs.get(day) ?? 0n)) }]}
        format={chartMoney}
        tableText={customers.asTable}
        columnText={customers.day}
      />
    </section>
  );
}

/** The operator's actions for the account, in one place. */
function AccountActions(props: AccountProps) {
  const { account } = props;
  const { accounts, customers, refunds } = props.context.words;
  const verb = account.wallet.frozen ? 'unfreeze' : 'freeze';
  return (
    <section id="actions">
      <h2>{customers.actions}</h2>
      <p class="row">
        {(['refund', 'payout', 'statements'] as const).map((name) => (
          <LinkButton look="quiet" href={`/accounts/${account.accountId}/${name}`} text={refunds[name]} />
        ))}
        <LinkButton look="quiet" href={`/accounts/${account.accountId}/${verb}`} text={accounts[verb]} />
      </p>
      <div class="two">
        <section>
          <h3>{accounts.credit}</h3>
          <CreditForm {...props} />
        </section>
        <section>
          <h3>{customers.describe}</h3>
          <DescribeForm {...props} />
        </section>
      </div>
    </section>
  );
}

function CreditForm({ context, account, form, faults }: AccountProps) {
  const { accounts } = context.words;
  const field = fieldsIn({ form, faults });
  const kinds = [['topup', context.words.refunds.kinds.topup] as const, ['credit', accounts.kindCredit] as const];
  return (
    <form method="post" action={`/accounts/${account.accountId}/credit/review`}>
      <p class="faint">{accounts.creditLead}</p>
      <SelectField name="kind" label={accounts.kind} value={form.get('kind')} choices={kinds} />
      <TextField {...field('amount')} label={accounts.amount} inputmode="decimal" required />
      <TextField {...field('reason')} label={accounts.reason} help={accounts.reasonHelp} maxlength={200} required />
      <Submit text={accounts.review} />
    </form>
  );
}

function DescribeForm({ context, account, form, faults }: AccountProps) {
  const { customers } = context.words;
  const field = fieldsIn({ form, faults });
  return (
    <form method="post" action={`/accounts/${account.accountId}/describe`}>
      <p class="faint">{customers.noteHelp}</p>
      <TextField {...field('nickname', account.nickname)} label={customers.nickname} maxlength={MAX_NICKNAME_CHARS} />
      <TextArea {...field('note', account.note)} label={customers.note} maxlength={MAX_NOTE_CHARS} rows={3} />
      <Submit look="quiet" text={customers.save} />
    </form>
  );
}

/** The names are in the addresses. */
const ACCOUNT_TABS = ['summary', 'requests', 'refused', 'ledger', 'keys'] as const;
type AccountTab = (typeof ACCOUNT_TABS)[number];

/** Rows on one page of a tab. */
export const ROWS = 25;

export interface AccountProps extends FormProps {
  account: AccountView;
}

/** For a page of the account, again where something was sent: with what was typed. */
export async function readAccount(visit: ConsoleVisit, tab: AccountTab, pages: AccountPages = {}) {
  const account = await showAccount(visit.tools, visit.params.id ?? '', { ...pages, rows: ROWS });
  const query = visit.request.method === 'GET' ? visit.url.search : '';
  const context = { ...visit.page, path: tabPath(account.accountId, tab), query };
  return { context, account, form: visit.form };
}

interface AccountFrameProps extends Pick<AccountProps, 'context' | 'account' | 'notice'> {
  tab: AccountTab;
  children?: Child;
}

export function tabPath(accountId: string, tab: AccountTab): string {
  return tab === 'summary' ? `/accounts/${accountId}` : `/accounts/${accountId}/${tab}`;
}

export function AccountFrame({ context, account, notice, tab, children }: AccountFrameProps) {
  const { accounts, customers } = context.words;
  const { accountId, nickname, wallet } = account;
  const links = ACCOUNT_TABS.map((name) => ({ path: tabPath(accountId, name), text: customers[name] }));
  return (
    <ConsolePage context={context} section="accounts" title={nickname ?? accounts.account} notice={notice}>
      <p class="account-name">
        <CopyId language={context.language} id={accountId} name={accounts.account} />{' '}
        <FrozenState context={context} isFrozen={wallet.frozen} />
      </p>
      {wallet.frozen ? <NoticeBox notice={{ text: accounts.frozenText, isBad: true }} /> : null}
      <Tabs label={accounts.account} links={links} current={tabPath(accountId, tab)} />
      {children}
    </ConsolePage>
  );
}

export function FrozenState({ context, isFrozen }: { context: ConsoleContext; isFrozen: boolean }) {
  const { frozen, fine } = context.words.accounts;
  return <span class={`state ${isFrozen ? 'down' : 'operational'}`}>{isFrozen ? frozen : fine}</span>;
}

interface PagesProps {
  context: ConsoleContext;
  /** Address of the newest page, and the parameter of the others. */
  path: string;
  name: string;
  isNewest: boolean;
  /** Where the next page begins. */
  next: number | string | null;
}

export function OlderPages({ context, path, name, isNewest, next }: PagesProps) {
  const { accounts } = context.words;
  if (isNewest && next === null) return null;
  const older = `${path}${path.includes('?') ? '&' : '?'}${name}=${encodeURIComponent(String(next))}`;
  return (
    <p class="row">
      {isNewest ? null : <a href={path}>{accounts.newest}</a>}
      {next === null ? null : <a href={older}>{accounts.older}</a>}
    </p>
  );
}
