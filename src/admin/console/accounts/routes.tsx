/** @jsxImportSource hono/jsx */
// The pages of accounts, and what their forms do. Money and freezing are asked about on a page of their own; money is given
// once, however often the form is sent.

import { money } from '../../../site/format.ts';
import { TextField } from '../../../site/parts/field.tsx';
import { typed, wholeNumber } from '../../../site/read-form.ts';
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
import { showRefusals } from '../../actions/refusals.ts';
import { notFound, OperatingRefused } from '../../actions/refused.ts';
import { ConfirmPage } from '../frame.tsx';
import { pageIn } from '../pager.tsx';
import { readMoney, refuseFaults, type Shown, takeTicket } from '../refused.ts';
import { ACTOR } from '../tools.ts';
import type { ConsoleVisit, ConsoleVisits } from '../visits.tsx';
import { AccountPage, type AccountTab, NewKeyPage, tabPath } from './account.tsx';
import { KeysTab } from './keys-tab.tsx';
import { LedgerTab } from './ledger-tab.tsx';
import { addListPages } from './list.tsx';
import { RefusedTab } from './refused.tsx';
import { addRequestPage } from './request.tsx';
import { RequestsTab, usageFilter } from './requests-tab.tsx';

export function addAccountPages(visits: ConsoleVisits): void {
  addListPages(visits);
  addRequestPage(visits);
  visits.get('/accounts/:id', show);
  visits.get('/accounts/:id/requests', showRequests);
  visits.get('/accounts/:id/refused', showRefused);
  visits.get('/accounts/:id/ledger', showLedger);
  visits.get('/accounts/:id/keys', showKeys);
  visits.post('/accounts/:id/describe', describe, show);
  visits.post('/accounts/:id/credit/review', askCredit, show);
  visits.post('/accounts/:id/credit', giveCredit, show);
  for (const frozen of [true, false]) {
    const verb = frozen ? 'freeze' : 'unfreeze';
    visits.get(`/accounts/:id/${verb}`, async (visit) => askFreeze(visit, await find(visit), frozen));
    visits.post(`/accounts/:id/${verb}`, (visit) => freeze(visit, frozen), show);
  }
  visits.post('/accounts/:id/keys', addKey, showKeys);
  visits.get('/accounts/:id/new-key', showNewKey);
  visits.get('/accounts/:id/keys/:key/revoke', askRevoke);
  visits.post('/accounts/:id/keys/:key/revoke', revoke, showKeys);
}

function find({ tools, params }: ConsoleVisit): Promise<AccountView> {
  return showAccount(tools, params.id ?? '');
}

/** Rows on one page of a tab. */
const ROWS = 25;

/** A page of the account, again where something was sent: with what was typed. */
async function facts({ tools, once, ...visit }: ConsoleVisit, tab: AccountTab, pages: AccountPages = {}) {
  const account = await showAccount(tools, visit.params.id ?? '', { ...pages, rows: ROWS });
  const query = visit.request.method === 'GET' ? visit.url.search : '';
  const context = { ...visit.page, path: tabPath(account.accountId, tab), query };
  return { context, account, now: tools.clock.now(), ticket: once.ticket(), form: visit.form };
}

async function show(visit: ConsoleVisit, { status = 200, ...shown }: Shown = {}): Promise<Response> {
  const props = await facts(visit, 'summary');
  const figures = await accountFigures(visit.tools, props.account.accountId);
  return visit.show(<AccountPage {...props} {...shown} figures={figures} />, { status });
}

async function showKeys(visit: ConsoleVisit, { status = 200, ...shown }: Shown = {}): Promise<Response> {
  const props = await facts(visit, 'keys');
  const part = pageIn(wholeNumber(visit.url.searchParams, 'page'), ROWS, props.account.keys.length);
  return visit.show(<KeysTab {...props} {...shown} part={part} />, { status });
}

async function showRequests(visit: ConsoleVisit): Promise<Response> {
  const { searchParams } = visit.url;
  const usageCursor = searchParams.get('cursor') || undefined;
  const filter = {
    outcome: typed(searchParams, 'outcome'),
    model: typed(searchParams, 'model'),
    key: typed(searchParams, 'key'),
  };
  const props = await facts(visit, 'requests', { usageCursor, usageFilter: usageFilter(filter) });
  return visit.show(<RequestsTab {...props} filter={filter} isNewest={usageCursor === undefined} />);
}

async function showLedger(visit: ConsoleVisit): Promise<Response> {
  const before = wholeNumber(visit.url.searchParams, 'before');
  const isCredits = visit.url.searchParams.get('show') === 'credits';
  const props = await facts(visit, 'ledger', isCredits ? { creditsBefore: before } : { entriesBefore: before });
  return visit.show(<LedgerTab {...props} isCredits={isCredits} isNewest={before === undefined} />);
}

async function showRefused(visit: ConsoleVisit): Promise<Response> {
  const props = await facts(visit, 'refused');
  const refusals = await showRefusals(visit.tools, { accountId: props.account.accountId });
  const page = wholeNumber(visit.url.searchParams, 'page');
  return visit.show(<RefusedTab {...props} refusals={refusals} page={page} />);
}

async function describe(visit: ConsoleVisit): Promise<Response> {
  const { customers } = visit.page.words;
  const accountId = visit.params.id ?? '';
  const nickname = typed(visit.form, 'nickname');
  const note = typed(visit.form, 'note');
  try {
    await describeAccount(visit.tools, accountId, { nickname, note, actor: ACTOR });
  } catch (error) {
    if (!(error instanceof OperatingRefused) || error.code !== 'invalid') throw error;
    const isNickname = error.facts.field === 'nickname';
    refuseFaults(
      isNickname
        ? { nickname: customers.wrongNickname(MAX_NICKNAME_CHARS) }
        : { note: customers.wrongNote(MAX_NOTE_CHARS) },
    );
  }
  return visit.goWith(`/accounts/${accountId}`, { notice: { text: customers.saved } });
}

async function askCredit(visit: ConsoleVisit): Promise<Response> {
  const { accounts } = visit.page.words;
  const { amount, kind, reason } = readCredit(visit);
  const { accountId, wallet } = await find(visit);
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

async function giveCredit(visit: ConsoleVisit): Promise<Response> {
  const given = readCredit(visit);
  const once = takeTicket(visit);
  const accountId = visit.params.id ?? '';
  const { balance } = await credit(visit.tools, accountId, { ...given, actor: ACTOR, once });
  const text = visit.page.words.accounts.credited(money(balance));
  return visit.goWith(`/accounts/${accountId}`, { notice: { text } });
}

function readCredit(visit: ConsoleVisit) {
  const kind: 'credit' | 'topup' = visit.form.get('kind') === 'topup' ? 'topup' : 'credit';
  return { ...readMoney(visit, visit.page.words.accounts), kind };
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

async function freeze(visit: ConsoleVisit, frozen: boolean): Promise<Response> {
  const account = await find(visit);
  const { accounts } = visit.page.words;
  const reason = typed(visit.form, 'reason');
  if (reason === '') return askFreeze(visit, account, frozen, accounts.wrongReason);
  await setFrozen(visit.tools, account.accountId, { frozen, reason, actor: ACTOR });
  const text = frozen ? accounts.didFreeze : accounts.didUnfreeze;
  return visit.goWith(`/accounts/${account.accountId}`, { notice: { text } });
}

async function addKey(visit: ConsoleVisit): Promise<Response> {
  const { accountId } = await find(visit);
  takeTicket(visit);
  const name = typed(visit.form, 'name') || null;
  const { apiKey } = await createKey(visit.tools, accountId, { name, actor: ACTOR });
  return visit.goWith(`/accounts/${accountId}/new-key`, { secret: apiKey });
}

/** The key is shown once: who comes back later is led to the account. */
function showNewKey(visit: ConsoleVisit): Response {
  const accountId = visit.params.id ?? '';
  const { secret } = visit.flash;
  if (secret === undefined) return visit.go(`/accounts/${accountId}`);
  return visit.show(<NewKeyPage context={visit.page} accountId={accountId} apiKey={secret} />);
}

async function findKey(visit: ConsoleVisit) {
  const { accountId, keys } = await find(visit);
  const key = keys.find(({ keyId }) => keyId === visit.params.key);
  if (!key) throw notFound('key');
  return { accountId, key, isLast: keys.filter(({ revokedAt }) => revokedAt === null).length === 1 };
}

async function askRevoke(visit: ConsoleVisit): Promise<Response> {
  const { accounts } = visit.page.words;
  const { accountId, key, isLast } = await findKey(visit);
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

async function revoke(visit: ConsoleVisit): Promise<Response> {
  const { accountId, key } = await findKey(visit);
  await revokeKey(visit.tools, key.keyId, ACTOR);
  return visit.goWith(`/accounts/${accountId}/keys`, { notice: { text: visit.page.words.accounts.didRevoke } });
}
