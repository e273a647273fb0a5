/** @jsxImportSource hono/jsx */
// The summary of one account: its money, what it spent by day, and what an operator can do or did. Never content of requests.

import type { Child } from 'hono/jsx';
import { NANO_PER_NTD, ntdNumber } from '../../../kit/money.ts';
import { taipeiDay } from '../../../kit/taipei.ts';
import { count, dateTime, percent, roundedMoney } from '../../../site/format.ts';
import { NoticeBox, Tabs } from '../../../site/frame.tsx';
import { Figure, Money } from '../../../site/parts/amount.tsx';
import { LinkButton, Submit } from '../../../site/parts/button.tsx';
import { Chart } from '../../../site/parts/chart.tsx';
import { CodeBlock, CopyId } from '../../../site/parts/code-block.tsx';
import { SelectField, TextArea, TextField } from '../../../site/parts/field.tsx';
import { type Fact, Facts } from '../../../site/parts/table.tsx';
import type { AccountView } from '../../actions/accounts.ts';
import { MAX_NICKNAME_CHARS, MAX_NOTE_CHARS } from '../../actions/describe-account.ts';
import { dayText } from '../../actions/ledger.ts';
import type { AccountRow } from '../../actions/list-accounts.ts';
import { type ConsoleContext, ConsolePage } from '../frame.tsx';
import type { Shown } from '../refused.ts';
import { Actions } from '../watch/action-pages.tsx';

/** With what the list of accounts has of it. */
type SummaryProps = AccountProps & { figures: AccountRow | undefined };

export function AccountPage(props: SummaryProps) {
  const { context, account } = props;
  const { accounts } = context.words;
  const { wallet } = account;
  return (
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
      {account.spendByDay.length > 0 ? <Spend {...props} /> : null}
      <AccountActions {...props} />
      <h2>{accounts.actions}</h2>
      <Actions context={context} actions={account.actions} none={accounts.noActions} subject={account.accountId} />
    </AccountFrame>
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
function Spend({ context, account, now }: AccountProps) {
  const { accounts, customers } = context.words;
  const costs = new Map(account.spendByDay.map(({ day, cost }) => [day, cost]));
  const first = taipeiDay(now) - DAYS + 1;
  const days = Array.from({ length: DAYS }, (_, index) => first + index);
  return (
    <section>
      <h2>{accounts.spend}</h2>
      <Chart
        title={accounts.spend}
        columns={days.map((day) => ({ label: dayText(day).slice(5), title: dayText(day) }))}
        series={[{ name: accounts.spend, look: 1, values: days.map((day) => ntdNumber(costs.get(day) ?? 0n)) }]}
        format={(value) => roundedMoney(BigInt(Math.round(value * Number(NANO_PER_NTD))))}
        tableText={customers.asTable}
        columnText={customers.day}
      />
    </section>
  );
}

/** The operator's actions for the account, in one place. */
function AccountActions(props: AccountProps) {
  const { context, account } = props;
  const { accounts, customers } = context.words;
  const verb = account.wallet.frozen ? 'unfreeze' : 'freeze';
  return (
    <section id="actions">
      <h2>{customers.actions}</h2>
      <p class="row">
        <MoneyLinks context={context} accountId={account.accountId} />
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

function CreditForm({ context, account, form, faults = {} }: AccountProps) {
  const { accounts } = context.words;
  const field = (name: string) => ({ name, value: form.get(name) ?? '', fault: faults[name], required: true });
  const kinds = [['topup', context.words.refunds.kinds.topup] as const, ['credit', accounts.kindCredit] as const];
  return (
    <form method="post" action={`/accounts/${account.accountId}/credit/review`}>
      <p class="faint">{accounts.creditLead}</p>
      <SelectField name="kind" label={accounts.kind} value={form.get('kind')} choices={kinds} />
      <TextField {...field('amount')} label={accounts.amount} inputmode="decimal" />
      <TextField {...field('reason')} label={accounts.reason} help={accounts.reasonHelp} maxlength={200} />
      <Submit text={accounts.review} />
    </form>
  );
}

function DescribeForm({ context, account, form, faults = {} }: AccountProps) {
  const { customers } = context.words;
  return (
    <form method="post" action={`/accounts/${account.accountId}/describe`}>
      <p class="faint">{customers.noteHelp}</p>
      <TextField
        name="nickname"
        label={customers.nickname}
        value={form.get('nickname') ?? account.nickname ?? ''}
        fault={faults.nickname}
        maxlength={MAX_NICKNAME_CHARS}
      />
      <TextArea
        name="note"
        label={customers.note}
        value={form.get('note') ?? account.note ?? ''}
        fault={faults.note}
        maxlength={MAX_NOTE_CHARS}
        rows={3}
      />
      <Submit look="quiet" text={customers.save} />
    </form>
  );
}

interface NewKeyProps {
  context: ConsoleContext;
  accountId: string;
  apiKey: string;
}

/** A key that was just made for a customer: shown here and nowhere again. */
export function NewKeyPage({ context, accountId, apiKey }: NewKeyProps) {
  const { createKey, shownOnce, toAccount } = context.words.accounts;
  return (
    <ConsolePage context={context} section="accounts" title={createKey} notice={{ text: shownOnce }} isShownOnce>
      <CodeBlock language={context.language} code={apiKey} isSecret />
      <p>
        <LinkButton look="quiet" href={`/accounts/${accountId}/keys`} text={toAccount} />
      </p>
    </ConsolePage>
  );
}

function MoneyLinks({ context, accountId }: { context: ConsoleContext; accountId: string }) {
  const { refunds } = context.words;
  return (
    <>
      <LinkButton look="quiet" href={`/accounts/${accountId}/refund`} text={refunds.refund} />
      <LinkButton look="quiet" href={`/accounts/${accountId}/payout`} text={refunds.payout} />
      <LinkButton look="quiet" href={`/accounts/${accountId}/statements`} text={refunds.statements} />
    </>
  );
}

/** The names are in the addresses. */
const ACCOUNT_TABS = ['summary', 'requests', 'refused', 'ledger', 'keys'] as const;
export type AccountTab = (typeof ACCOUNT_TABS)[number];

export interface AccountProps extends Omit<Shown, 'status'> {
  context: ConsoleContext;
  account: AccountView;
  now: number;
  /** For the form that makes a key, so that it makes one. */
  ticket: string;
  /** The refused input; empty without one. */
  form: URLSearchParams;
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
