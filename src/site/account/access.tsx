/** @jsxImportSource hono/jsx */
// Ways to sign in: a name and a password besides the keys, and a button that ends every session.

import { MIN_PASSWORD_CHARS, setPassword } from '../../accounts/sign-in/sign-in.ts';
import { Fault } from '../../faults/fault.ts';
import type { Notice } from '../frame.tsx';
import type { PageContext } from '../page.tsx';
import { Submit } from '../parts/button.tsx';
import { TextField } from '../parts/field.tsx';
import type { SiteTools } from '../tools.ts';
import { AccountPage } from './frame.tsx';
import type { SignedVisit, Visits } from './visits.tsx';

export function addAccess(visits: Visits, tools: SiteTools): void {
  visits.signed('get', '/account/access', (visit) => {
    return show(tools, visit, { typed: visit.form.get('name') ?? undefined });
  });
  visits.signed('post', '/account/access', (visit) => change(tools, visit));
}

interface Shown {
  typed?: string | undefined;
  faults?: { name?: string; password?: string };
  notice?: Notice | undefined;
}

async function show(tools: SiteTools, visit: SignedVisit, shown: Shown, status = 200): Promise<Response> {
  const { accountId, canManage } = visit.session;
  const name = (await tools.store.read.login(accountId))?.name ?? null;
  return visit.show(<AccessPage context={visit.page} name={name} canManage={canManage} {...shown} />, { status });
}

async function change(tools: SiteTools, visit: SignedVisit): Promise<Response> {
  const { access } = visit.page.words.account;
  const { accountId, canManage } = visit.session;
  const typed = visit.form.get('name') ?? '';
  const refuse = (text: string, status = 400, field?: 'name' | 'password') =>
    show(tools, visit, { typed, faults: field ? { [field]: text } : {}, notice: { text, isBad: true } }, status);
  if (!canManage) return refuse(access.restricted);
  const password = visit.form.get('password') ?? '';
  const result = await setPassword(tools, accountId, typed, password, visit.cookie).catch((error: unknown) => {
    if (error instanceof Fault && error.code === 'auth_rate_limited') return error;
    throw error;
  });
  if (result instanceof Fault) return refuse(access.tooMany, result.row.status);
  if (result.ok) return visit.goWith('/account/access', { notice: { text: access.saved } });
  const { text, field } = REFUSALS[result.reason];
  return refuse(access[text], 400, field);
}

const REFUSALS = {
  name_not_allowed: { text: 'badName', field: 'name' },
  name_taken: { text: 'taken', field: 'name' },
  password_too_short: { text: 'shortPassword', field: 'password' },
  password_too_long: { text: 'longPassword', field: 'password' },
  not_permitted: { text: 'restricted', field: undefined },
} as const;

interface AccessProps extends Shown {
  context: PageContext;
  name: string | null;
  canManage: boolean;
}

function AccessPage({ context, name, typed, faults = {}, canManage, notice }: AccessProps) {
  const { access, name: nameLabel, password, signOutEverywhere } = context.words.account;
  return (
    <AccountPage context={context} tab="access" notice={notice}>
      {canManage ? <p>{name === null ? access.lead : access.current(name)}</p> : null}
      {canManage ? (
        <form method="post" action="/account/access">
          <TextField
            name="name"
            label={nameLabel}
            help={access.nameHelp}
            fault={faults.name}
            hasFocus
            autocomplete="username"
            autocapitalize="none"
            value={typed ?? name ?? ''}
            required
          />
          <TextField
            name="password"
            label={password}
            help={access.passwordHelp}
            fault={faults.password}
            hasFocus
            type="password"
            autocomplete="new-password"
            minlength={MIN_PASSWORD_CHARS}
            required
          />
          <Submit text={access.save} />
        </form>
      ) : (
        <p class="note">{access.restricted}</p>
      )}
      <h2>{access.sessions}</h2>
      <p>{canManage ? access.sessionsText : access.sessionsOfKey}</p>
      <form method="post" action="/account/sign-out-everywhere">
        <Submit look="quiet" text={signOutEverywhere} />
      </form>
    </AccountPage>
  );
}
