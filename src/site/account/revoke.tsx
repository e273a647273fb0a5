/** @jsxImportSource hono/jsx */
// The question before a key is revoked: which one it is, what will happen, and a way back.

import type { KeyRow } from '../../store/rows.ts';
import { date } from '../format.ts';
import { wordsOf } from '../language.ts';
import type { PageContext } from '../page.tsx';
import { type Fact, Facts } from '../parts/facts.tsx';
import type { Words } from '../words/words.ts';
import { AccountPage, tabPath } from './frame.tsx';

interface RevokeProps {
  context: PageContext;
  key_: KeyRow;
  /** This session was opened with it, and ends with it. */
  isCurrent: boolean;
}

/** What tells a key from others. */
export function keyMarks(key: KeyRow, keys: Words['account']['keys']): Fact[] {
  return [
    [keys.name, key.name ?? keys.noName],
    [keys.last4, `…${key.last4}`],
    [keys.created, date(key.createdAt)],
  ];
}

export function RevokePage({ context, key_: key, isCurrent }: RevokeProps) {
  const { keys } = wordsOf(context.language).account;
  return (
    <AccountPage context={context} tab="keys" title={keys.askRevoke}>
      <Facts facts={keyMarks(key, keys)} />
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
