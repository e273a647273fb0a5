/** @jsxImportSource hono/jsx */
// One account: money, keys, entries, requests, and operator actions. Never content of requests.

import { count, dateTime, money } from '../../../site/format.ts';
import { wordsOf } from '../../../site/language.ts';
import { Figure } from '../../../site/parts/amount.tsx';
import { LinkButton, Submit } from '../../../site/parts/button.tsx';
import { CodeBlock } from '../../../site/parts/code-block.tsx';
import { Hidden, SelectField, TextField } from '../../../site/parts/field.tsx';
import { type ConsoleContext, ConsolePage } from '../frame.tsx';
import { Actions } from '../watch/action-table.tsx';
import { type AccountProps, AccountTables } from './account-tables.tsx';

export function AccountPage(props: AccountProps) {
  const { context, account, notice } = props;
  const { accounts, losses } = context.words;
  const { colon } = wordsOf(context.language).account;
  const { wallet, accountId } = account;
  const verb = wallet.frozen ? 'unfreeze' : 'freeze';
  const shown = notice ?? (wallet.frozen ? { text: accounts.frozenText, isBad: true } : undefined);
  return (
    <ConsolePage context={context} section="accounts" title={accounts.account} notice={shown}>
      <div class="row spread">
        <span>
          <span class="id">{accountId}</span> <FrozenState context={context} isFrozen={wallet.frozen} />
        </span>
        <LinkButton look="quiet" href={`/accounts/${accountId}/${verb}`} text={accounts[verb]} />
      </div>
      <div class="cards">
        <Figure title={accounts.available} value={wallet.balance - wallet.held} />
        <Figure title={accounts.balance} value={wallet.balance} />
        <Figure
          title={`${accounts.held} · ${accounts.running} ${count(wallet.inFlight + wallet.freeInFlight)}`}
          value={wallet.held}
        />
      </div>
      <p class="faint">
        {account.createdAt === undefined ? '' : `${accounts.created} ${dateTime(account.createdAt)} · `}
        {accounts.login}
        {colon}
        {account.loginName ?? '–'}
      </p>
      <p class="faint">
        {losses.today}
        {colon}
        <span class="number">{money(account.lostToday)}</span> · {losses.month}
        {colon}
        <span class="number">{money(account.lost)}</span>
      </p>
      <div class="two">
        <section>
          <h2>{accounts.credit}</h2>
          <CreditForm {...props} />
        </section>
        <section>
          <h2>{accounts.createKey}</h2>
          <p class="faint">{accounts.createHelp}</p>
          <form method="post" action={`/accounts/${accountId}/keys`}>
            <Hidden fields={{ once: props.ticket }} />
            <TextField name="name" label={accounts.name} value={props.form.get('name') ?? ''} maxlength={60} />
            <Submit look="quiet" text={accounts.create} />
          </form>
        </section>
      </div>
      <AccountTables {...props} />
      <h2>{accounts.actions}</h2>
      <Actions context={context} actions={account.actions} none={accounts.noActions} />
    </ConsolePage>
  );
}

export function FrozenState({ context, isFrozen }: { context: ConsoleContext; isFrozen: boolean }) {
  const { frozen, fine } = context.words.accounts;
  return <span class={`state ${isFrozen ? 'down' : 'operational'}`}>{isFrozen ? frozen : fine}</span>;
}

function CreditForm({ context, account, form, faults = {} }: AccountProps) {
  const { accounts } = context.words;
  const field = (name: string) => ({ name, value: form.get(name) ?? '', fault: faults[name], required: true });
  const kinds = [['refund', accounts.kindRefund] as const, ['credit', accounts.kindCredit] as const];
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
        <LinkButton look="quiet" href={`/accounts/${accountId}`} text={toAccount} />
      </p>
    </ConsolePage>
  );
}
