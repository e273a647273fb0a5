/** @jsxImportSource hono/jsx */
// The pages of accounts, and what their forms do. Money and freezing are asked about on a page of their own; money is given
// once, however often the form is sent.

import { money } from '../../../site/format.ts';
import type { Notice } from '../../../site/frame.tsx';
import { TextField } from '../../../site/parts/field.tsx';
import { plainNumber, typed, wholeNumber } from '../../../site/read-form.ts';
import {
  type AccountPages,
  type AccountView,
  createKey,
  credit,
  revokeKey,
  setFrozen,
  showAccount,
} from '../../actions/accounts.ts';
import { describeAccount, MAX_NICKNAME_CHARS, MAX_NOTE_CHARS } from '../../actions/describe-account.ts';
import { accountFigures } from '../../actions/list-accounts.ts';
import { MAX_AMOUNT, readAmount } from '../../actions/read-input.ts';
import { showRefusals } from '../../actions/refusals.ts';
import { notFound, OperatingRefused } from '../../actions/refused.ts';
import { ConfirmPage } from '../frame.tsx';
import { pageIn } from '../pager.tsx';
import { unlessRefused } from '../refused.ts';
import { ACTOR, type ConsoleTools } from '../tools.ts';
import type { ConsoleVisit, ConsoleVisits, ShowRefused } from '../visits.tsx';
import { AccountPage, NewKeyPage } from './account.tsx';
import { type AccountTab, tabPath } from './account-frame.tsx';
import { KeysTab } from './keys-tab.tsx';
import { LedgerTab } from './ledger-tab.tsx';
import { addListPages } from './list-routes.tsx';
import { RefusedTab } from './refused.tsx';
import { addRequestPage } from './request-routes.tsx';
import { RequestsTab, usageFilter } from './requests-tab.tsx';

export function addAccountPages(visits: ConsoleVisits, tools: ConsoleTools): void {
  const again: ShowRefused = (visit, notice, status) => show(tools, visit, { notice, status });
  const againKeys: ShowRefused = (visit, notice, status) => showKeys(tools, visit, { notice, status });
  addListPages(visits, tools);
  addRequestPage(visits, tools);
  visits.get('/accounts/:id', (visit) => show(tools, visit, {}));
  visits.get('/accounts/:id/requests', (visit) => showRequests(tools, visit));
  visits.get('/accounts/:id/refused', (visit) => showRefused(tools, visit));
  visits.get('/accounts/:id/ledger', (visit) => showLedger(tools, visit));
  visits.get('/accounts/:id/keys', (visit) => showKeys(tools, visit, {}));
  visits.post('/accounts/:id/describe', (visit) => describe(tools, visit), again);
  visits.post('/accounts/:id/credit/review', (visit) => askCredit(tools, visit));
  visits.post('/accounts/:id/credit', (visit) => giveCredit(tools, visit), again);
  for (const frozen of [true, false]) {
    const verb = frozen ? 'freeze' : 'unfreeze';
    visits.get(`/accounts/:id/${verb}`, async (visit) => askFreeze(visit, await find(tools, visit), frozen));
    visits.post(`/accounts/:id/${verb}`, (visit) => freeze(tools, visit, frozen), again);
  }
  visits.post('/accounts/:id/keys', (visit) => addKey(tools, visit), againKeys);
  visits.get('/accounts/:id/new-key', showNewKey);
  visits.get('/accounts/:id/keys/:key/revoke', (visit) => askRevoke(tools, visit));
  visits.post('/accounts/:id/keys/:key/revoke', (visit) => revoke(tools, visit), againKeys);
}

function find(tools: ConsoleTools, { params }: ConsoleVisit): Promise<AccountView> {
  return showAccount(tools, params.id ?? '');
}

interface Shown {
  notice?: Notice | undefined;
  faults?: Readonly<Record<string, string>>;
  status?: number;
}

/** Rows on one page of a tab. */
const ROWS = 25;

/** A page of the account, again where something was sent: with what was typed. */
async function facts(tools: ConsoleTools, visit: ConsoleVisit, tab: AccountTab, pages: AccountPages = {}) {
  const account = await showAccount(tools, visit.params.id ?? '', { ...pages, rows: ROWS });
  const query = visit.request.method === 'GET' ? visit.url.search : '';
  const context = { ...visit.page, path: tabPath(account.accountId, tab), query };
  return { context, account, now: tools.clock.now(), ticket: visit.once.ticket(), form: visit.form };
}

async function show(tools: ConsoleTools, visit: ConsoleVisit, { status = 200, ...shown }: Shown): Promise<Response> {
  const props = await facts(tools, visit, 'summary');
  const figures = await accountFigures(tools, props.account.accountId);
  return visit.show(<AccountPage {...props} {...shown} figures={figures} />, { status });
}

async function showKeys(tools: ConsoleTools, visit: ConsoleVisit, { status = 200, ...shown }: Shown) {
  const props = await facts(tools, visit, 'keys');
  const part = pageIn(wholeNumber(visit.url.searchParams, 'page'), ROWS, props.account.keys.length);
  return visit.show(<KeysTab {...props} {...shown} part={part} />, { status });
}

async function showRequests(tools: ConsoleTools, visit: ConsoleVisit): Promise<Response> {
  const { searchParams } = visit.url;
  const usageCursor = searchParams.get('cursor') || undefined;
  const filter = {
    outcome: typed(searchParams, 'outcome'),
    model: typed(searchParams, 'model'),
    key: typed(searchParams, 'key'),
  };
  const props = await facts(tools, visit, 'requests', { usageCursor, usageFilter: usageFilter(filter) });
  return visit.show(<RequestsTab {...props} filter={filter} isNewest={usageCursor === undefined} />);
}

async function showLedger(tools: ConsoleTools, visit: ConsoleVisit): Promise<Response> {
  const before = wholeNumber(visit.url.searchParams, 'before');
  const isCredits = visit.url.searchParams.get('show') === 'credits';
  const pages = isCredits ? { creditsBefore: before } : { entriesBefore: before };
  const props = await facts(tools, visit, 'ledger', pages);
  return visit.show(<LedgerTab {...props} isCredits={isCredits} isNewest={before === undefined} />);
}

async function showRefused(tools: ConsoleTools, visit: ConsoleVisit): Promise<Response> {
  const props = await facts(tools, visit, 'refused');
  const refusals = await showRefusals(tools, { accountId: props.account.accountId });
  const page = wholeNumber(visit.url.searchParams, 'page');
  return visit.show(<RefusedTab {...props} refusals={refusals} page={page} />);
}

async function describe(tools: ConsoleTools, visit: ConsoleVisit): Promise<Response> {
  const { customers } = visit.page.words;
  const accountId = visit.params.id ?? '';
  const nickname = typed(visit.form, 'nickname');
  const note = typed(visit.form, 'note');
  try {
    await describeAccount(tools, accountId, { nickname, note, actor: ACTOR });
  } catch (error) {
    if (!(error instanceof OperatingRefused) || error.code !== 'invalid') throw error;
    const faults =
      error.facts.field === 'nickname'
        ? { nickname: customers.wrongNickname(MAX_NICKNAME_CHARS) }
        : { note: customers.wrongNote(MAX_NOTE_CHARS) };
    return show(tools, visit, { faults, status: 422 });
  }
  return visit.goWith(`/accounts/${accountId}`, { notice: { text: customers.saved } });
}

function showTwice(tools: ConsoleTools, visit: ConsoleVisit, showAgain = show): Promise<Response> {
  return showAgain(tools, visit, { notice: { text: visit.page.words.frame.twice, isBad: true }, status: 409 });
}

async function askCredit(tools: ConsoleTools, visit: ConsoleVisit): Promise<Response> {
  const { accounts } = visit.page.words;
  const { given, faults } = readGiven(visit);
  if (!given) return show(tools, visit, { faults, status: 422 });
  const { accountId, wallet } = await find(tools, visit);
  const { amount, kind, reason } = given;
  const path = `/accounts/${accountId}`;
  return visit.show(
    <ConfirmPage
      context={{ ...visit.page, path, query: '' }}
      section="accounts"
      title={accounts.askCredit(money(amount))}
      consequences={[
        accounts.askGoes(accountId),
        accounts.askAfter(money(wallet.balance), money(wallet.balance + amount)),
        accounts.askReason(reason),
        accounts.askFinal,
      ]}
      action={`${path}/credit`}
      fields={{ kind, amount: typed(visit.form, 'amount'), reason, once: visit.once.ticket() }}
      button={accounts.doCredit}
      back={path}
    />,
  );
}

async function giveCredit(tools: ConsoleTools, visit: ConsoleVisit): Promise<Response> {
  const { given, faults } = readGiven(visit);
  if (!given) return show(tools, visit, { faults, status: 422 });
  const once = visit.form.get('once');
  if (once === null || !visit.once.take(once)) return showTwice(tools, visit);
  const accountId = visit.params.id ?? '';
  const { balance } = await credit(tools, accountId, { ...given, actor: ACTOR, once });
  return visit.goWith(`/accounts/${accountId}`, {
    notice: { text: visit.page.words.accounts.credited(money(balance)) },
  });
}

function readGiven({ form, page: { words } }: ConsoleVisit) {
  const { wrongReason, wrongAmount } = words.accounts;
  const reason = typed(form, 'reason');
  const amount = unlessRefused(() => readAmount(plainNumber(typed(form, 'amount'))));
  const kind: 'credit' | 'topup' = form.get('kind') === 'topup' ? 'topup' : 'credit';
  const faults = {
    ...(reason === '' ? { reason: wrongReason } : {}),
    ...(amount === undefined ? { amount: wrongAmount(money(MAX_AMOUNT)) } : {}),
  };
  return { given: amount === undefined || reason === '' ? undefined : { amount, kind, reason }, faults };
}

function askFreeze(visit: ConsoleVisit, { accountId }: AccountView, frozen: boolean, fault?: string): Response {
  const { accounts } = visit.page.words;
  const verb = frozen ? 'freeze' : 'unfreeze';
  const texts = frozen ? [accounts.freezeText, accounts.freezeKeeps] : [accounts.unfreezeText, accounts.unfreezeAudit];
  return visit.show(
    <ConfirmPage
      context={visit.page}
      section="accounts"
      title={frozen ? accounts.askFreeze : accounts.askUnfreeze}
      consequences={texts}
      action={`/accounts/${accountId}/${verb}`}
      button={accounts[verb]}
      back={`/accounts/${accountId}`}
    >
      <p class="id">{accountId}</p>
      <TextField
        name="reason"
        label={accounts.reason}
        help={accounts.reasonHelp}
        value={typed(visit.form, 'reason')}
        fault={fault}
        maxlength={200}
        required
      />
    </ConfirmPage>,
    { status: fault === undefined ? 200 : 422 },
  );
}

async function freeze(tools: ConsoleTools, visit: ConsoleVisit, frozen: boolean): Promise<Response> {
  const account = await find(tools, visit);
  const { accounts } = visit.page.words;
  const reason = typed(visit.form, 'reason');
  if (reason === '') return askFreeze(visit, account, frozen, accounts.wrongReason);
  await setFrozen(tools, account.accountId, { frozen, reason, actor: ACTOR });
  return visit.goWith(`/accounts/${account.accountId}`, {
    notice: { text: frozen ? accounts.didFreeze : accounts.didUnfreeze },
  });
}

async function addKey(tools: ConsoleTools, visit: ConsoleVisit): Promise<Response> {
  const { accountId } = await find(tools, visit);
  if (!visit.once.take(visit.form.get('once'))) return showTwice(tools, visit, showKeys);
  const name = typed(visit.form, 'name') || null;
  const { apiKey } = await createKey(tools, accountId, { name, actor: ACTOR });
  return visit.goWith(`/accounts/${accountId}/new-key`, { secret: apiKey });
}

/** The key is shown once: who comes back later is led to the account. */
function showNewKey(visit: ConsoleVisit): Response {
  const accountId = visit.params.id ?? '';
  const { secret } = visit.flash;
  if (secret === undefined) return visit.go(`/accounts/${accountId}`);
  return visit.show(<NewKeyPage context={visit.page} accountId={accountId} apiKey={secret} />);
}

async function findKey(tools: ConsoleTools, visit: ConsoleVisit) {
  const { accountId, keys } = await find(tools, visit);
  const key = keys.find(({ keyId }) => keyId === visit.params.key);
  if (!key) throw notFound('key');
  return { accountId, key, isLast: keys.filter(({ revokedAt }) => revokedAt === null).length === 1 };
}

async function askRevoke(tools: ConsoleTools, visit: ConsoleVisit): Promise<Response> {
  const { accounts } = visit.page.words;
  const { accountId, key, isLast } = await findKey(tools, visit);
  return visit.show(
    <ConfirmPage
      context={visit.page}
      section="accounts"
      title={accounts.askRevoke(key.last4)}
      consequences={[accounts.revokeText, ...(isLast ? [accounts.revokeLast] : [])]}
      action={`/accounts/${accountId}/keys/${key.keyId}/revoke`}
      button={accounts.revoke}
      back={`/accounts/${accountId}/keys`}
    />,
  );
}

async function revoke(tools: ConsoleTools, visit: ConsoleVisit): Promise<Response> {
  const { accountId, key } = await findKey(tools, visit);
  await revokeKey(tools, key.keyId, ACTOR);
  return visit.goWith(`/accounts/${accountId}/keys`, { notice: { text: visit.page.words.accounts.didRevoke } });
}
