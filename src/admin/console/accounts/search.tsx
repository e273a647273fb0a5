/** @jsxImportSource hono/jsx */
// Finds an account by what its customer knows of it.

import { money } from '../../../site/format.ts';
import { IdLink, Submit } from '../../../site/parts/button.tsx';
import { TextField } from '../../../site/parts/field.tsx';
import { DataTable, figure } from '../../../site/parts/table.tsx';
import type { FoundAccount } from '../../actions/accounts.ts';
import { type ConsoleContext, ConsolePage } from '../frame.tsx';
import { FrozenState } from './account.tsx';
import { requestPath } from './request.tsx';

interface SearchProps {
  context: ConsoleContext;
  text: string;
  found: readonly FoundAccount[];
}

export function AccountsPage({ context, text, found }: SearchProps) {
  const { accounts } = context.words;
  return (
    <ConsolePage context={context} section="accounts" title={accounts.title} lead={accounts.lead}>
      {/* A POST, because a card's code may still have value and must not be in a URL. */}
      <form method="post" action="/accounts" class="search">
        <TextField name="q" label={accounts.search} type="search" value={text} maxlength={100} required />
        <Submit text={accounts.find} />
      </form>
      {found.length === 0 ? (
        <p class="empty">{text === '' ? accounts.start : accounts.none}</p>
      ) : (
        <Found context={context} text={text} found={found} />
      )}
    </ConsolePage>
  );
}

/** A search for a request opens the request. */
export function foundPath({ accountId, by }: FoundAccount, text: string): string {
  return by === 'request' ? requestPath(accountId, text) : `/accounts/${accountId}`;
}

function Found({ context, text, found }: SearchProps) {
  const { accounts } = context.words;
  const ways = {
    account: accounts.byAccount,
    key: accounts.byKey,
    last4: accounts.byLast4,
    card: accounts.byCard,
    card_code: accounts.byCardCode,
    login: accounts.byLogin,
    nickname: accounts.byNickname,
    request: accounts.byRequest,
    refused: accounts.byRequest,
  };
  return (
    <DataTable
      label={accounts.title}
      columns={[accounts.account, accounts.foundBy, accounts.state, figure(accounts.balance)]}
      rows={found.map((one) => [
        <IdLink href={foundPath(one, text)} text={one.accountId} />,
        ways[one.by],
        <FrozenState context={context} isFrozen={one.frozen} />,
        money(one.balance),
      ])}
    />
  );
}
