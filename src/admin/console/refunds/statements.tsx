/** @jsxImportSource hono/jsx */
// The statements of a customer, as the customer sees them, and whom they name.

import { checkBilling, listMonths, readBilling, statementFile } from '../../../accounts/statements.ts';
import { wordsOf } from '../../../site/language.ts';
import { BillingForm, StatementMonths, StatementView } from '../../../site/parts/statement.tsx';
import { fileResponse } from '../../../site/respond.ts';
import { setBilling, showStatement } from '../../actions/describe-account.ts';
import { readNewest } from '../../actions/newest.ts';
import { notFound } from '../../actions/refused.ts';
import { ConsolePage } from '../frame.tsx';
import { ACTOR, OWN_URL } from '../tools.ts';
import type { ConsoleVisit, ConsoleVisits } from '../visits.tsx';

const pathOf = ({ params }: ConsoleVisit) => `/accounts/${params.id}/statements`;

export function addStatementPages(visits: ConsoleVisits): void {
  const find = ({ tools, params }: ConsoleVisit) => showStatement(tools, params.id ?? '', params.month ?? '');
  visits.get('/accounts/:id/statements', (visit) => showMonths(visit));
  visits.post('/accounts/:id/statements', save);
  visits.get('/accounts/:id/statements/:month', async (visit) => {
    const { page, tools } = visit;
    const [statement, { document }] = await Promise.all([find(visit), readNewest(tools)]);
    const facts = { language: page.language, siteName: tools.siteName, issuer: document.issuer, statement };
    const title = wordsOf(page.language).statements.one(statement.month);
    return visit.show(
      <ConsolePage context={page} section="accounts" title={title}>
        <StatementView {...facts} path={pathOf(visit)} />
      </ConsolePage>,
    );
  });
  visits.file('/accounts/:id/statements/:month/file', async (visit) => {
    const statement = await find(visit);
    const name = `statement_${statement.accountId}_${statement.month}.csv`;
    return fileResponse(OWN_URL, name, statementFile(visit.tools, statement));
  });
}

async function showMonths(visit: ConsoleVisit, wrong?: 'name' | 'taxId'): Promise<Response> {
  const { tools, page, params, form } = visit;
  const accountId = params.id ?? '';
  const { statements } = wordsOf(page.language);
  const [months, billing] = await Promise.all([listMonths(tools, accountId), readBilling(tools, accountId)]);
  if (months.length === 0) throw notFound('account');
  return visit.show(
    <ConsolePage context={page} section="accounts" title={statements.title}>
      <p>
        <a class="id" href={`/accounts/${accountId}`}>
          {accountId}
        </a>
      </p>
      <StatementMonths language={page.language} months={months} path={pathOf(visit)} />
      <BillingForm {...{ language: page.language, action: pathOf(visit), billing, form, wrong }} />
    </ConsolePage>,
    { status: wrong ? 422 : 200 },
  );
}

async function save(visit: ConsoleVisit): Promise<Response> {
  const { form, params, page } = visit;
  const given = { name: form.get('billing_name') ?? '', taxId: form.get('tax_id') ?? '' };
  const checked = checkBilling(given);
  if ('wrong' in checked) return showMonths(visit, checked.wrong);
  await setBilling(visit.tools, params.id ?? '', { ...given, actor: ACTOR });
  return visit.goWith(pathOf(visit), { notice: { text: wordsOf(page.language).statements.saved } });
}
