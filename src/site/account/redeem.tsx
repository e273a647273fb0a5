/** @jsxImportSource hono/jsx */
// A prepaid card becomes balance. A link may carry the code behind its #, which no server sees: the script puts it in.

import { CARD_CODE_SHAPE } from '../../accounts/card-code.ts';
import { wordsOf } from '../language.ts';
import type { PageContext } from '../page.tsx';
import { Field, faultId } from '../parts/field.tsx';
import { faultMarks } from '../parts/field-fault.tsx';
import { CardSource } from '../parts/support-link.tsx';
import { AccountPage, type Notice } from './frame.tsx';

interface RedeemProps {
  context: PageContext;
  notice?: Notice | undefined;
  /** What was typed and did not work. */
  code?: string;
  /** What is wrong with it. */
  fault?: string | undefined;
  isDone?: boolean;
  isFrozen: boolean;
}

export function RedeemPage({ context, notice, code = '', fault, isDone = false, isFrozen }: RedeemProps) {
  const { redeem } = wordsOf(context.language).account;
  return (
    <AccountPage context={context} tab="redeem" notice={notice} isFrozen={isFrozen}>
      {isDone ? (
        <p>
          <a class="button quiet" href="/account">
            {redeem.toOverview}
          </a>
        </p>
      ) : null}
      <p>{redeem.lead}</p>
      <form method="post" action="/account/redeem" data-once>
        <Field name="code" label={redeem.code} fault={fault}>
          <input
            id="code"
            name="code"
            class="id"
            autocomplete="off"
            autocapitalize="characters"
            spellcheck={false}
            placeholder={CARD_CODE_SHAPE}
            value={code}
            required
            data-from-link
            {...faultMarks(faultId('code'), fault)}
          />
        </Field>
        <button type="submit">{redeem.redeem}</button>
      </form>
      <CardSource context={context} />
    </AccountPage>
  );
}
