/** @jsxImportSource hono/jsx */
// The pages of accounts, and what their forms do. Money and freezing are asked about on a page of their own.

import { money } from '../../../site/format.ts';
import {
  type AccountView,
  createKey,
  revokeKey,
  searchAccounts,
  setFrozen,
  showAccount,
  showRequest,
} from '../../actions/accounts.ts';
import { notFound, OperatingRefused } from '../../actions/refused.ts';
import { ConfirmPage } from '../frame/confirm.tsx';
import { TextField } from '../frame/field.tsx';
import type { Notice } from '../frame/frame.tsx';
import { typed, wholeNumber } from '../frame/read-form.ts';
import type { ConsoleVisit, ConsoleVisits } from '../frame/visit.tsx';
import { attempt, refusalNotice, refusalStatus } from '../parts/refused.ts';
import { ACTOR, type ConsoleTools } from '../tools.ts';
import { consoleWords } from '../words/words.ts';
import { AccountPage } from './account.tsx';
import type { ShowAccount } from './account-props.ts';
import { askCredit, giveCredit } from './credit.tsx';
import { NewKeyPage } from './new-key.tsx';
import { RequestPage } from './request.tsx';
import { AccountsPage, foundPath } from './search.tsx';

export function addAccountPages(visits: ConsoleVisits, tools: ConsoleTools): void {
  const search = async (visit: ConsoleVisit, text: string) => {
    const found = text === '' ? [] : await searchAccounts(tools, text);
    const [only, another] = found;
    if (only && !another) return visit.go(foundPath(only, text));
    return visit.show(<AccountsPage context={visit.page} text={text} found={found} />);
  };
  visits.get('/accounts', (visit) => search(visit, typed(visit.url.searchParams, 'q')));
  visits.post('/accounts', (visit) => search(visit, typed(visit.form, 'q')));
  visits.get('/accounts/:id/requests/:request', async (visit) => {
    const { id: accountId = '', request: requestId = '' } = visit.params;
    const found = await showRequest(tools, accountId, requestId);
    return visit.show(<RequestPage context={visit.page} accountId={accountId} requestId={requestId} found={found} />);
  });
  visits.get('/accounts/:id', async (visit) => show(tools, visit, { notice: doneNotice(visit) }));
  visits.post('/accounts/:id/credit/review', (visit) => askCredit(tools, visit, show));
  visits.post('/accounts/:id/credit', (visit) => giveCredit(tools, visit, show));
  for (const frozen of [true, false]) {
    const verb = frozen ? 'freeze' : 'unfreeze';
    visits.get(`/accounts/:id/${verb}`, async (visit) => askFreeze(visit, await find(tools, visit), frozen));
    visits.post(`/accounts/:id/${verb}`, (visit) => freeze(tools, visit, frozen));
  }
  visits.post('/accounts/:id/keys', (visit) => addKey(tools, visit));
  visits.get('/accounts/:id/keys/:key/revoke', (visit) => askRevoke(tools, visit));
  visits.post('/accounts/:id/keys/:key/revoke', (visit) => revoke(tools, visit));
}

function find(tools: ConsoleTools, { params }: ConsoleVisit): Promise<AccountView> {
  return showAccount(tools, params.id ?? '');
}

const show: ShowAccount = async (tools, visit, { notice, faults = {}, status = 200 }) => {
  const { searchParams } = visit.url;
  const pages = {
    credits: wholeNumber(searchParams, 'credits'),
    entries: wholeNumber(searchParams, 'entries'),
    usage: searchParams.get('usage') || undefined,
  };
  const account = await showAccount(tools, visit.params.id ?? '', {
    creditsBefore: pages.credits,
    entriesBefore: pages.entries,
    usageCursor: pages.usage,
  });
  const query = visit.request.method === 'GET' && notice === undefined ? visit.url.search : '';
  const context = { ...visit.page, path: `/accounts/${account.accountId}`, query };
  const ticket = visit.once.ticket();
  const facts = { account, pages, now: tools.clock.now(), ticket, form: visit.form, faults, notice };
  return visit.show(<AccountPage context={context} {...facts} />, { status });
};

function refuse(tools: ConsoleTools, visit: ConsoleVisit, refused: OperatingRefused): Promise<Response> {
  if (refused.code === 'not_found') throw refused;
  const notice = refusalNotice(visit.page.language, refused);
  return show(tools, visit, { notice, status: refusalStatus(refused) });
}

function doneNotice(visit: ConsoleVisit): Notice | undefined {
  const { accounts } = consoleWords(visit.page.language);
  const texts = new Map([
    ['frozen', accounts.didFreeze],
    ['thawed', accounts.didUnfreeze],
    ['revoked', accounts.didRevoke],
  ]);
  const { searchParams } = visit.url;
  const balance = searchParams.get('balance');
  const text = /^\d{1,20}$/.test(balance ?? '') ? accounts.credited(money(BigInt(balance ?? 0))) : undefined;
  const shown = text ?? texts.get(searchParams.get('done') ?? '');
  return shown === undefined ? undefined : { text: shown };
}

function askFreeze(visit: ConsoleVisit, account: AccountView, frozen: boolean, fault?: string): Response {
  const { accounts } = consoleWords(visit.page.language);
  const path = `/accounts/${account.accountId}`;
  return visit.show(
    <ConfirmPage
      context={visit.page}
      section="accounts"
      title={frozen ? accounts.askFreeze : accounts.askUnfreeze}
      consequences={
        frozen ? [accounts.freezeText, accounts.freezeKeeps] : [accounts.unfreezeText, accounts.unfreezeAudit]
      }
      action={`${path}/${frozen ? 'freeze' : 'unfreeze'}`}
      button={frozen ? accounts.freeze : accounts.unfreeze}
      back={path}
    >
      <p class="id">{account.accountId}</p>
      <TextField
        name="reason"
        label={accounts.reason}
        help={accounts.reasonHelp}
        value={typed(visit.form, 'reason')}
        fault={fault}
        maxLength={200}
        isRequired
      />
    </ConfirmPage>,
    { status: fault === undefined ? 200 : 422 },
  );
}

async function freeze(tools: ConsoleTools, visit: ConsoleVisit, frozen: boolean): Promise<Response> {
  const { accounts } = consoleWords(visit.page.language);
  const account = await find(tools, visit);
  const reason = typed(visit.form, 'reason');
  if (reason === '') return askFreeze(visit, account, frozen, accounts.wrongReason);
  const done = await attempt(() => setFrozen(tools, account.accountId, { frozen, reason, actor: ACTOR }));
  if (done instanceof OperatingRefused) return refuse(tools, visit, done);
  return visit.go(`/accounts/${account.accountId}?done=${frozen ? 'frozen' : 'thawed'}`);
}

async function addKey(tools: ConsoleTools, visit: ConsoleVisit): Promise<Response> {
  const { accountId } = await find(tools, visit);
  const { frame } = consoleWords(visit.page.language);
  if (!visit.once.take(visit.form.get('once'))) {
    return show(tools, visit, { notice: { text: frame.twice, isBad: true }, status: 409 });
  }
  const name = typed(visit.form, 'name') || null;
  const made = await attempt(() => createKey(tools, accountId, { name, actor: ACTOR }));
  if (made instanceof OperatingRefused) return refuse(tools, visit, made);
  return visit.show(<NewKeyPage context={visit.page} accountId={accountId} apiKey={made.apiKey} />);
}

async function askRevoke(tools: ConsoleTools, visit: ConsoleVisit): Promise<Response> {
  const { accounts } = consoleWords(visit.page.language);
  const { accountId, keys } = await find(tools, visit);
  const key = keys.find(({ keyId }) => keyId === visit.params.key);
  if (!key) throw notFound('key');
  const isLast = keys.filter(({ revokedAt }) => revokedAt === null).length === 1;
  return visit.show(
    <ConfirmPage
      context={visit.page}
      section="accounts"
      title={accounts.askRevoke(key.last4)}
      consequences={[accounts.revokeText, ...(isLast ? [accounts.revokeLast] : [])]}
      action={`/accounts/${accountId}/keys/${key.keyId}/revoke`}
      button={accounts.revoke}
      back={`/accounts/${accountId}`}
    />,
  );
}

async function revoke(tools: ConsoleTools, visit: ConsoleVisit): Promise<Response> {
  const { accountId, keys } = await find(tools, visit);
  const key = keys.find(({ keyId }) => keyId === visit.params.key);
  if (!key) throw notFound('key');
  const done = await attempt(() => revokeKey(tools, key.keyId, ACTOR));
  if (done instanceof OperatingRefused) return refuse(tools, visit, done);
  return visit.go(`/accounts/${accountId}?done=revoked`);
}
