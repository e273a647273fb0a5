/** @jsxImportSource hono/jsx */
// How one gets in: a name and a password beside the keys, and an end to every session.

import { MIN_PASSWORD_CHARS } from '../../accounts/sign-in/read-login.ts';
import { wordsOf } from '../language.ts';
import type { PageContext } from '../page.tsx';
import { Field, faultId } from '../parts/field.tsx';
import { faultMarks } from '../parts/field-fault.tsx';
import { AccountPage, type Notice } from './frame.tsx';

export interface AccessFaults {
  name?: string;
  password?: string;
}

interface AccessProps {
  context: PageContext;
  /** The name that is set, if one is. */
  name: string | null;
  /** What was typed for it and refused. */
  typed?: string | undefined;
  /** What is wrong with a field. */
  faults?: AccessFaults;
  canManage: boolean;
  notice?: Notice | undefined;
}

export function AccessPage({ context, name, typed, faults = {}, canManage, notice }: AccessProps) {
  const { access, name: nameLabel, password, signOutEverywhere } = wordsOf(context.language).account;
  return (
    <AccountPage context={context} tab="access" notice={notice}>
      {canManage ? <p>{name === null ? access.lead : access.current(name)}</p> : null}
      {canManage ? (
        <form method="post" action="/account/access">
          <Field name="name" label={nameLabel} help={access.nameHelp} fault={faults.name}>
            <input
              id="name"
              name="name"
              autocomplete="username"
              autocapitalize="none"
              value={typed ?? name ?? ''}
              required
              {...faultMarks(faultId('name'), faults.name)}
            />
          </Field>
          <Field name="password" label={password} help={access.passwordHelp} fault={faults.password}>
            <input
              id="password"
              name="password"
              type="password"
              autocomplete="new-password"
              minlength={MIN_PASSWORD_CHARS}
              required
              {...faultMarks(faultId('password'), faults.password)}
            />
          </Field>
          <button type="submit">{access.save}</button>
        </form>
      ) : (
        <p class="note">{access.restricted}</p>
      )}
      <h2>{access.sessions}</h2>
      <p>{canManage ? access.sessionsText : access.sessionsOfKey}</p>
      <form method="post" action="/account/sign-out-everywhere">
        <button type="submit" class="quiet">
          {signOutEverywhere}
        </button>
      </form>
    </AccountPage>
  );
}
