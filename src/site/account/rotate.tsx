/** @jsxImportSource hono/jsx */
// The question before a key is rotated: which one it is, how long the old text still works, and a way back.

import type { KeyRow } from '../../store/rows.ts';
import { wordsOf } from '../language.ts';
import type { PageContext } from '../page.tsx';
import { Facts } from '../parts/facts.tsx';
import { Field } from '../parts/field.tsx';
import { AccountPage, tabPath } from './frame.tsx';
import { keyMarks } from './revoke.tsx';

/** How long the old text works; the first unless another is chosen. */
const GRACES = ['day', 'none'] as const;
const DAY_S = 86_400;

/** In seconds, of a form that was sent. */
export function graceOf(form: URLSearchParams): number {
  return form.get('old') === 'none' ? 0 : DAY_S;
}

interface RotateProps {
  context: PageContext;
  key_: KeyRow;
  /** This session was opened with it: it goes on with the new text, other ones end with the old. */
  isCurrent: boolean;
}

export function RotatePage({ context, key_: key, isCurrent }: RotateProps) {
  const { keys } = wordsOf(context.language).account;
  return (
    <AccountPage context={context} tab="keys" title={keys.askRotate}>
      <Facts facts={keyMarks(key, keys)} />
      <p>{keys.rotateText}</p>
      <form method="post" action={`/account/keys/${key.keyId}/rotate`} data-once>
        <input type="hidden" name="last4" value={key.last4} />
        <Field name="old" label={keys.oldKey}>
          <select id="old" name="old">
            {GRACES.map((grace) => (
              <option value={grace}>{keys.graces[grace]}</option>
            ))}
          </select>
        </Field>
        <p>{keys.graceHelp}</p>
        {isCurrent ? <p>{keys.rotateCurrent}</p> : null}
        <div class="row">
          <button type="submit">{keys.rotate}</button>
          <a class="button quiet" href={tabPath('keys')}>
            {keys.keep}
          </a>
        </div>
      </form>
    </AccountPage>
  );
}
