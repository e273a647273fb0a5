/** @jsxImportSource hono/jsx */
// One customer: money, keys, entries, requests, and what was done for them. Never what they said.

import { count, dateTime, money } from '../../../site/format.ts';
import { wordsOf } from '../../../site/language.ts';
import { Amount } from '../../../site/parts/amount.tsx';
import { Field } from '../../../site/parts/field.tsx';
import type { AccountView } from '../../actions/accounts.ts';
import { TextField } from '../frame/field.tsx';
import { ConsolePage } from '../frame/frame.tsx';
import { Actions } from '../watch/action-table.tsx';
import { consoleWords } from '../words/words.ts';
import { AccountKeys } from './account-keys.tsx';
import { AccountMoney } from './account-money.tsx';
import type { AccountProps } from './account-props.ts';

export function AccountPage(props: AccountProps) {
  const { context, account, notice } = props;
  const { accounts, losses } = consoleWords(context.language);
  const { colon } = wordsOf(context.language).account;
  const { wallet, accountId } = account;
  const verb = wallet.frozen ? 'unfreeze' : 'freeze';
  const shown = notice ?? (wallet.frozen ? { text: accounts.frozenText, isBad: true } : undefined);
  return (
    <ConsolePage context={context} section="accounts" title={accounts.account} notice={shown}>
      <div class="row spread">
        <span>
          <span class="id">{accountId}</span>{' '}
          <span class={`state ${wallet.frozen ? 'down' : 'operational'}`}>
            {wallet.frozen ? accounts.frozen : accounts.fine}
          </span>
        </span>
        <a class="button quiet" href={`/accounts/${accountId}/${verb}`}>
          {accounts[verb]}
        </a>
      </div>
      <div class="cards">
        <div>
          <p class="faint">{accounts.available}</p>
          <Amount value={wallet.balance - wallet.held} />
        </div>
        <div>
          <p class="faint">{accounts.balance}</p>
          <Amount value={wallet.balance} />
        </div>
        <div>
          <p class="faint">
            {accounts.held} · {accounts.running} {count(wallet.inFlight + wallet.freeInFlight)}
          </p>
          <Amount value={wallet.held} />
        </div>
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
            <input type="hidden" name="once" value={props.ticket} />
            <TextField name="name" label={accounts.name} value={props.form.get('name') ?? ''} maxLength={60} />
            <button type="submit" class="quiet">
              {accounts.create}
            </button>
          </form>
        </section>
      </div>
      <AccountKeys {...props} />
      <AccountMoney {...props} />
      <h2>{accounts.actions}</h2>
      {account.actions.length === 0 ? (
        <p class="empty">{accounts.noActions}</p>
      ) : (
        <Actions language={context.language} actions={account.actions} />
      )}
    </ConsolePage>
  );
}

function CreditForm({ context, account, form, faults = {} }: AccountProps) {
  const { accounts } = consoleWords(context.language);
  return (
    <form method="post" action={`/accounts/${account.accountId}/credit/review`}>
      <p class="faint">{accounts.creditLead}</p>
      <Field name="kind" label={accounts.kind}>
        <select id="kind" name="kind">
          <option value="refund" selected={form.get('kind') === 'refund'}>
            {accounts.kindRefund}
          </option>
          <option value="credit" selected={form.get('kind') === 'credit'}>
            {accounts.kindCredit}
          </option>
        </select>
      </Field>
      <TextField
        name="amount"
        label={accounts.amount}
        value={form.get('amount') ?? ''}
        fault={faults.amount}
        isFigure
        isRequired
      />
      <TextField
        name="reason"
        label={accounts.reason}
        help={accounts.reasonHelp}
        value={form.get('reason') ?? ''}
        fault={faults.reason}
        maxLength={200}
        isRequired
      />
      <button type="submit">{accounts.review}</button>
    </form>
  );
}

export function balanceAfter(account: AccountView, amount: bigint): string {
  return money(account.wallet.balance + amount);
}
