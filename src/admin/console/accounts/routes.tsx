/** @jsxImportSource hono/jsx */
// The pages of accounts, and what their forms do. Money and freezing are asked about on a page of their own; money is given
// once, however often the form is sent.

import { money } from '../../../site/format.ts';
import { LinkButton } from '../../../site/parts/button.tsx';
import { CodeBlock } from '../../../site/parts/code-block.tsx';
import { TextField } from '../../../site/parts/field.tsx';
import { typed } from '../../../site/read-form.ts';
import { type AccountView, createKey, revokeKey, setFrozen, showAccount } from '../../actions/accounts.ts';
import { describeAccount, MAX_NICKNAME_CHARS, MAX_NOTE_CHARS } from '../../actions/describe-account.ts';
import { credit } from '../../actions/money.ts';
import { notFound, OperatingRefused } from '../../actions/refused.ts';
import { ConsolePage } from '../frame.tsx';
import { readMoney, refuseFaults, takeTicket } from '../refused.ts';
import { ACTOR } from '../tools.ts';
import type { ConsoleVisit, ConsoleVisits } from '../visits.tsx';
import { showSummary } from './account.tsx';
import { showKeys } from './keys-tab.tsx';
import { showLedger } from './ledger-tab.tsx';
import { addListPages } from './list.tsx';
import { showRefusedTab } from './refused.tsx';
import { addRequestPage } from './request.tsx';
import { showRequests } from './requests-tab.tsx';

export function addAccountPages(visits: ConsoleVisits): void {
  addListPages(visits);
  addRequestPage(visits);
  visits.get('/accounts/:id', showSummary);
  visits.get('/accounts/:id/requests', showRequests);
  visits.get('/accounts/:id/refused', showRefusedTab);
  visits.get('/accounts/:id/ledger', showLedger);
  visits.get('/accounts/:id/keys', showKeys);
  visits.post('/accounts/:id/describe', describe, showSummary);
  visits.post('/accounts/:id/credit/review', askCredit, showSummary);
  visits.post('/accounts/:id/credit', giveCredit, showSummary);
  for (const frozen of [true, false]) {
    const verb = frozen ? 'freeze' : 'unfreeze';
    visits.get(`/accounts/:id/${verb}`, async (visit) => askFreeze(visit, await find(visit), frozen));
    visits.post(`/accounts/:id/${verb}`, (visit) => freeze(visit, frozen), showSummary);
  }
  visits.post('/accounts/:id/keys', addKey, showKeys);
  visits.get('/accounts/:id/new-key', showNewKey);
  visits.get('/accounts/:id/keys/:key/revoke', askRevoke);
  visits.post('/accounts/:id/keys/:key/revoke', revoke, showKeys);
}

function find({ tools, params }: ConsoleVisit): Promise<AccountView> {
  return showAccount(tools, params.id ?? '');
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
  return visit.ask({
    section: 'accounts',
    title: accounts.askCredit(money(amount)),
    consequences: [
      accounts.askGoes(accountId),
      accounts.askAfter(money(wallet.balance), money(wallet.balance + amount)),
      accounts.askReason(reason),
      accounts.askFinal,
    ],
    action: `/accounts/${accountId}/credit`,
    fields: { kind, amount: typed(visit.form, 'amount'), reason, once: visit.once.ticket() },
    button: accounts.doCredit,
    back: `/accounts/${accountId}`,
  });
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
  const question = {
    section: 'accounts',
    title: frozen ? accounts.askFreeze : accounts.askUnfreeze,
    consequences: texts,
    action: `/accounts/${accountId}/${verb}`,
    button: accounts[verb],
    back: `/accounts/${accountId}`,
    children: (
      <>
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
      </>
    ),
  } as const;
  return visit.ask(question, fault === undefined ? 200 : 422);
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
  const { page: context } = visit;
  const { createKey: title, shownOnce, toAccount } = context.words.accounts;
  return visit.show(
    <ConsolePage context={context} section="accounts" title={title} notice={{ text: shownOnce }} isShownOnce>
      <CodeBlock language={context.language} code={secret} isSecret />
      <p>
        <LinkButton look="quiet" href={`/accounts/${accountId}/keys`} text={toAccount} />
      </p>
    </ConsolePage>,
  );
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
  return visit.ask({
    section: 'accounts',
    title: accounts.askRevoke(key.last4),
    consequences: [accounts.revokeText, ...(isLast ? [accounts.revokeLast] : [])],
    action: `/accounts/${accountId}/keys/${key.keyId}/revoke`,
    button: accounts.revoke,
    back: `/accounts/${accountId}/keys`,
  });
}

async function revoke(visit: ConsoleVisit): Promise<Response> {
  const { accountId, key } = await findKey(visit);
  await revokeKey(visit.tools, key.keyId, ACTOR);
  return visit.goWith(`/accounts/${accountId}/keys`, { notice: { text: visit.page.words.accounts.didRevoke } });
}
