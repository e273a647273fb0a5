/** @jsxImportSource hono/jsx */
// Finding a customer by what they can tell.

import { money } from '../../../site/format.ts';
import type { FoundAccount } from '../../actions/accounts.ts';
import { TextField } from '../frame/field.tsx';
import { type ConsoleContext, ConsolePage } from '../frame/frame.tsx';
import { DataTable } from '../parts/data-table.tsx';
import { consoleWords } from '../words/words.ts';
import { requestPath } from './request.tsx';

interface SearchProps {
  context: ConsoleContext;
  text: string;
  found: readonly FoundAccount[];
}

export function AccountsPage({ context, text, found }: SearchProps) {
  const { accounts } = consoleWords(context.language);
  return (
    <ConsolePage context={context} section="accounts" title={accounts.title} lead={accounts.lead}>
      {/* Posted: the code of a card, which may still be money, is to stand in no address. */}
      <form method="post" action="/accounts" class="search">
        <TextField name="q" label={accounts.search} type="search" value={text} maxLength={100} isRequired />
        <button type="submit">{accounts.find}</button>
      </form>
      {found.length === 0 ? (
        <p class="empty">{text === '' ? accounts.start : accounts.none}</p>
      ) : (
        <Found context={context} text={text} found={found} />
      )}
    </ConsolePage>
  );
}

/** Whoever looks for a request wants to see it. */
export function foundPath({ accountId, by }: FoundAccount, text: string): string {
  return by === 'request' ? requestPath(accountId, text) : `/accounts/${accountId}`;
}

function Found({ context, text, found }: SearchProps) {
  const { accounts } = consoleWords(context.language);
  const ways = {
    account: accounts.byAccount,
    key: accounts.byKey,
    last4: accounts.byLast4,
    card: accounts.byCard,
    card_code: accounts.byCardCode,
    login: accounts.byLogin,
    request: accounts.byRequest,
  };
  return (
    <DataTable
      label={accounts.title}
      columns={[
        { text: accounts.account },
        { text: accounts.foundBy },
        { text: accounts.state },
        { text: accounts.balance, isFigure: true },
      ]}
      rows={found.map((one) => [
        <a class="id" href={foundPath(one, text)}>
          {one.accountId}
        </a>,
        ways[one.by],
        <span class={`state ${one.frozen ? 'down' : 'operational'}`}>
          {one.frozen ? accounts.frozen : accounts.fine}
        </span>,
        money(one.balance),
      ])}
    />
  );
}
