/** @jsxImportSource hono/jsx */
// The statements of the account, and whom they name. They show all keys together, so a restricted key does not see them.

import { checkBilling, listMonths, readBilling, readStatement, statementFile } from '../../accounts/statements.ts';
import { fault } from '../../faults/fault.ts';
import { BillingForm, StatementMonths, StatementView } from '../parts/statement.tsx';
import { fileResponse } from '../respond.ts';
import type { SiteTools } from '../tools.ts';
import { AccountPage } from './frame.tsx';
import { askerOf, type SignedVisit, type Visits } from './visits.tsx';

const PATH = '/account/statements';

export function addStatements(visits: Visits, tools: SiteTools): void {
  visits.signed('get', PATH, (visit) => showMonths(tools, visit));
  visits.signed('post', PATH, (visit) => saveBilling(tools, visit));
  visits.signed('get', `${PATH}/:month`, (visit) => showStatement(tools, visit));
  visits.signed('get', `${PATH}/:month/file`, async (visit) => {
    const statement = await find(tools, visit);
    if (!statement) return showNone(visit);
    return fileResponse(tools.publicUrl, `statement_${statement.month}.csv`, statementFile(tools, statement));
  });
}

function find(tools: SiteTools, { session, params }: SignedVisit) {
  return session.canManage ? readStatement(tools, session.accountId, params.month ?? '') : Promise.resolve(undefined);
}

function showNone({ page, session, show }: SignedVisit): Response {
  const { statements } = page.words;
  const text = session.canManage ? statements.none : statements.restricted;
  const status = session.canManage ? 404 : 403;
  return show(<AccountPage context={page} tab="overview" title={statements.title} notice={{ text, isBad: true }} />, {
    status,
  });
}

async function showMonths(tools: SiteTools, visit: SignedVisit, wrong?: 'name' | 'taxId'): Promise<Response> {
  const { page, session, form } = visit;
  const { statements } = page.words;
  if (!session.canManage) return showNone(visit);
  const { accountId } = session;
  const [months, billing] = await Promise.all([listMonths(tools, accountId), readBilling(tools, accountId)]);
  return visit.show(
    <AccountPage context={page} tab="overview" title={statements.title}>
      <p>{statements.lead}</p>
      <StatementMonths language={page.language} months={months} path={PATH} />
      <BillingForm {...{ language: page.language, action: PATH, billing, form, wrong }} />
    </AccountPage>,
    { status: wrong ? 422 : 200 },
  );
}

async function showStatement(tools: SiteTools, visit: SignedVisit): Promise<Response> {
  const { page } = visit;
  const statement = await find(tools, visit);
  if (!statement) return showNone(visit);
  const { issuer } = tools.catalog();
  return visit.show(
    <AccountPage context={page} tab="overview" title={page.words.statements.one(statement.month)}>
      <StatementView {...{ language: page.language, siteName: tools.siteName, issuer, statement, path: PATH }} />
    </AccountPage>,
  );
}

async function saveBilling(tools: SiteTools, visit: SignedVisit): Promise<Response> {
  const { form, session, page } = visit;
  if (!session.canManage) return showNone(visit);
  const given = checkBilling({ name: form.get('billing_name') ?? '', taxId: form.get('tax_id') ?? '' });
  if ('wrong' in given) return showMonths(tools, visit, given.wrong);
  const change = { ...askerOf(tools, visit), ...given, at: tools.clock.now() };
  const result = await tools.store.commit('setBilling', change);
  if (!result.ok) throw fault(result.reason === 'actor_gone' ? 'invalid_api_key' : 'key_not_permitted');
  return visit.goWith(PATH, { notice: { text: page.words.statements.saved } });
}
