/** @jsxImportSource hono/jsx */
// The keys of an account: by their last four, never more.

import { date, dateTime, money } from '../../../site/format.ts';
import type { Language } from '../../../site/language.ts';
import type { KeyView } from '../../actions/accounts.ts';
import { DataTable } from '../parts/data-table.tsx';
import { consoleWords } from '../words/words.ts';
import type { AccountProps } from './account-props.ts';

export function AccountKeys({ context, account }: AccountProps) {
  const { accounts, frame } = consoleWords(context.language);
  return (
    <section>
      <h2>{accounts.keys}</h2>
      {account.keys.length === 0 ? (
        <p class="empty">{accounts.noKeys}</p>
      ) : (
        <DataTable
          label={accounts.keys}
          columns={[
            { text: accounts.key },
            { text: accounts.name, isTyped: true },
            { text: accounts.created },
            { text: accounts.manages },
            { text: accounts.limits },
            { text: accounts.revoke, isAction: true },
          ]}
          rows={account.keys.map((key) => [
            <>
              <span class="id">…{key.last4}</span>
              <span class="under id">{key.keyId}</span>
            </>,
            key.name ?? <span class="faint">{accounts.noName}</span>,
            <span class="number">{dateTime(key.createdAt)}</span>,
            key.manage ? frame.yes : frame.no,
            limitsOf(context.language, key),
            key.revokedAt === null ? (
              <a class="button quiet small" href={`/accounts/${account.accountId}/keys/${key.keyId}/revoke`}>
                {accounts.revoke}
                <span class="unseen"> …{key.last4}</span>
              </a>
            ) : (
              <span class="faint">{accounts.revoked(date(key.revokedAt))}</span>
            ),
          ])}
        />
      )}
    </section>
  );
}

function limitsOf(language: Language, { dailyBudget, expiresAt, models, state }: KeyView): string {
  const { accounts } = consoleWords(language);
  const limits = [
    ...(dailyBudget === null ? [] : [accounts.dayBudget(money(dailyBudget))]),
    ...(expiresAt === null ? [] : [accounts[state === 'expired' ? 'expired' : 'until'](dateTime(expiresAt))]),
    ...(models === null ? [] : [accounts.only(models.join(', '))]),
  ];
  return limits.join(' · ') || accounts.noLimits;
}
