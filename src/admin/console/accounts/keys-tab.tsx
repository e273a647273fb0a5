/** @jsxImportSource hono/jsx */
// The keys of an account by their last four, and a form for one who lost theirs.

import { LIMIT_NAMES, limitOf } from '../../../accounts/keys/limit-fields.ts';
import { count, date, dateTime, money } from '../../../site/format.ts';
import { wordsOf } from '../../../site/language.ts';
import { LinkButton, Submit } from '../../../site/parts/button.tsx';
import { Hidden, TextField } from '../../../site/parts/field.tsx';
import { action, TableSection, Under } from '../../../site/parts/table.tsx';
import { wholeNumber } from '../../../site/read-form.ts';
import type { KeyView } from '../../actions/accounts.ts';
import type { ConsoleContext } from '../frame.tsx';
import { Pager, pageIn } from '../pager.tsx';
import type { Shown } from '../refused.ts';
import type { ConsoleVisit } from '../visits.tsx';
import { AccountFrame, type AccountProps, ROWS, readAccount, tabPath } from './account.tsx';

export async function showKeys(visit: ConsoleVisit, { status = 200, notice }: Shown = {}): Promise<Response> {
  const { context, account, form } = await readAccount(visit, 'keys');
  const part = pageIn(wholeNumber(visit.url.searchParams, 'page'), ROWS, account.keys.length);
  const { accounts } = context.words;
  return visit.show(
    <AccountFrame {...{ context, account, notice }} tab="keys">
      <Keys {...{ context, account }} rows={account.keys.slice(part.from, part.from + ROWS)} />
      <Pager context={context} path={tabPath(account.accountId, 'keys')} {...part} />
      <section class="narrow">
        <h2>{accounts.createKey}</h2>
        <p class="faint">{accounts.createHelp}</p>
        <form method="post" action={`/accounts/${account.accountId}/keys`}>
          <Hidden fields={{ once: visit.once.ticket() }} />
          <TextField name="name" label={accounts.name} value={form.get('name') ?? ''} maxlength={60} />
          <Submit look="quiet" text={accounts.create} />
        </form>
      </section>
    </AccountFrame>,
    { status },
  );
}

type KeysProps = Pick<AccountProps, 'context' | 'account'> & { rows: readonly KeyView[] };

function Keys({ context, account: { accountId, keys }, rows }: KeysProps) {
  const { accounts, frame } = context.words;
  return (
    <TableSection
      title={accounts.keys}
      none={accounts.noKeys}
      columns={[...[accounts.key, accounts.created, accounts.manages, accounts.limits], action(accounts.revoke)]}
      isCompact
      rows={rows.map((key) => [
        <>
          <KeyName context={context} key_={key} keys={keys} />
          <span class="under id">{`${key.keyId} · …${key.last4}`}</span>
        </>,
        <span class="number" title={dateTime(key.createdAt)}>
          {date(key.createdAt)}
        </span>,
        key.manage ? frame.yes : frame.no,
        limitsOf(context, key),
        key.revokedAt === null ? (
          <LinkButton
            look="quiet small"
            href={`/accounts/${accountId}/keys/${key.keyId}/revoke`}
            text={accounts.revoke}
            about={` …${key.last4}`}
          />
        ) : (
          <span class="faint">{accounts.revoked(date(key.revokedAt))}</span>
        ),
      ])}
    />
  );
}

/** With the key that it is a child of. */
function KeyName({ context, key_: key, keys }: { context: ConsoleContext; key_: KeyView; keys: readonly KeyView[] }) {
  const { accounts } = context.words;
  const name =
    key.name === null ? <span class="faint">{accounts.noName}</span> : <span class="as-written">{key.name}</span>;
  const parent = keys.find(({ keyId }) => keyId === key.parentId);
  if (!parent) return <>{name}</>;
  return <Under of={name} text={accounts.childOf(parent.name ?? `…${parent.last4}`, key.depth)} />;
}

function limitsOf(context: ConsoleContext, key: KeyView): string {
  const { accounts } = context.words;
  const { keys, colon } = wordsOf(context.language).account;
  const { expiresAt, models, state, delegate } = key;
  const limits = [
    ...LIMIT_NAMES.flatMap((name) => {
      const value = limitOf(key, name);
      if (value === null) return [];
      return [keys.limits[name] + colon + (typeof value === 'bigint' ? money(value) : count(value))];
    }),
    ...(expiresAt === null ? [] : [accounts[state === 'expired' ? 'expired' : 'until'](dateTime(expiresAt))]),
    ...(models === null ? [] : [accounts.only(models.join(', '))]),
  ];
  return [limits.join(' · ') || accounts.noLimits, ...(delegate ? [accounts.delegates] : [])].join(' · ');
}
