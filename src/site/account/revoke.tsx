/** @jsxImportSource hono/jsx */
// The question before a key is revoked: which one it is, what will happen, and a way back.

import type { KeyRow } from '../../store/rows.ts';
import { date } from '../format.ts';
import { wordsOf } from '../language.ts';
import type { PageContext } from '../page.tsx';
import { Facts } from '../parts/facts.tsx';
import { AccountPage, tabPath } from './frame.tsx';

interface RevokeProps {
  context: PageContext;
  key_: KeyRow;
  /** This session was opened with it, and ends with it. */
  isCurrent: boolean;
}

export function RevokePage({ context, key_: key, isCurrent }: RevokeProps) {
  const { keys } = wordsOf(context.language).account;
  const lines: [title: string, value: string][] = [
    [keys.name, key.name ?? keys.noName],
    [keys.last4, `…${key.last4}`],
    [keys.created, date(key.createdAt)],
  ];
  return (
    <AccountPage context={context} tab="keys" title={keys.askRevoke}>
      <Facts facts={lines} />
      <p>{keys.revokeText}</p>
      {isCurrent ? <p>{keys.revokeCurrent}</p> : null}
      <form method="post" action={`/account/keys/${key.keyId}/revoke`} class="row" data-once>
        <button type="submit" class="danger">
          {keys.revoke}
        </button>
        <a class="button quiet" href={tabPath('keys')}>
          {keys.keep}
        </a>
      </form>
    </AccountPage>
  );
}
