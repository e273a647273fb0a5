/** @jsxImportSource hono/jsx */
// The questions before a key is rotated or revoked: which one it is, what will happen, and a way back.

import type { KeyRow } from '../../store/rows.ts';
import { date } from '../format.ts';
import type { PageContext } from '../page.tsx';
import { SubmitRow } from '../parts/button.tsx';
import { Hidden, SelectField } from '../parts/field.tsx';
import { Facts } from '../parts/table.tsx';
import { AccountPage, tabPath } from './frame.tsx';

const DAY_S = 86_400;

/** How long the old text of a key works, in seconds, of a form that was sent; a day unless chosen otherwise. */
export function graceOf(form: URLSearchParams): number {
  return form.get('old') === 'none' ? 0 : DAY_S;
}

interface QuestionProps {
  context: PageContext;
  key_: KeyRow;
  /** This session was opened with it. Revoked, it ends; rotated, it goes on, and other ones end with the old text. */
  isCurrent: boolean;
}

export function RotatePage({ context, key_: key, isCurrent }: QuestionProps) {
  const { keys } = context.words.account;
  const { day, none } = keys.graces;
  const graces = [['day', day] as const, ['none', none] as const];
  return (
    <AccountPage context={context} tab="keys" title={keys.askRotate}>
      <KeyMarks context={context} key_={key} />
      <p>{keys.rotateText}</p>
      <form method="post" action={`/account/keys/${key.keyId}/rotate`} data-once>
        <Hidden fields={{ last4: key.last4 }} />
        <SelectField name="old" label={keys.oldKey} choices={graces} />
        <p>{keys.graceHelp}</p>
        {isCurrent ? <p>{keys.rotateCurrent}</p> : null}
        <SubmitRow text={keys.rotate} back={tabPath('keys')} backText={keys.keep} />
      </form>
    </AccountPage>
  );
}

export function RevokePage({ context, key_: key, isCurrent }: QuestionProps) {
  const { keys } = context.words.account;
  return (
    <AccountPage context={context} tab="keys" title={keys.askRevoke}>
      <KeyMarks context={context} key_={key} />
      <p>{keys.revokeText}</p>
      {isCurrent ? <p>{keys.revokeCurrent}</p> : null}
      <form method="post" action={`/account/keys/${key.keyId}/revoke`} data-once>
        <SubmitRow look="danger" text={keys.revoke} back={tabPath('keys')} backText={keys.keep} />
      </form>
    </AccountPage>
  );
}

/** The facts that identify a key. */
function KeyMarks({ context, key_: key }: Pick<QuestionProps, 'context' | 'key_'>) {
  const { keys } = context.words.account;
  const name = [keys.name, key.name ?? keys.noName] as const;
  return <Facts facts={[name, [keys.last4, `…${key.last4}`], [keys.created, date(key.createdAt)]]} />;
}
