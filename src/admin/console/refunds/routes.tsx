/** @jsxImportSource hono/jsx */
// Forms for money back: a refund that is not of a request, and a payout. Each asks on a second page and acts once.

import { money } from '../../../site/format.ts';
import { plainNumber, typed } from '../../../site/read-form.ts';
import { MAX_AMOUNT, readAmount, readFee } from '../../actions/read-input.ts';
import { payable, payout, refund } from '../../actions/refunds.ts';
import { notFound } from '../../actions/refused.ts';
import { ConfirmPage } from '../frame.tsx';
import { unlessRefused } from '../refused.ts';
import { ACTOR, type ConsoleTools } from '../tools.ts';
import type { ConsoleVisit, ConsoleVisits, ShowRefused } from '../visits.tsx';
import { PayoutPage } from './payout.tsx';
import { readRefund } from './read-refund.ts';
import { RefundPage } from './refund.tsx';
import { addStatementPages } from './statements.tsx';

type Faults = Readonly<Record<string, string>>;

export function addRefundPages(visits: ConsoleVisits, tools: ConsoleTools): void {
  const refundAgain: ShowRefused = (visit, notice, status) => showRefund(tools, visit, { notice, status });
  visits.get('/accounts/:id/refund', (visit) => showRefund(tools, visit));
  visits.post('/accounts/:id/refund/review', (visit) => askRefund(tools, visit), refundAgain);
  visits.post('/accounts/:id/refund/do', (visit) => doRefund(tools, visit), refundAgain);
  const payoutAgain: ShowRefused = (visit, notice, status) => showPayout(tools, visit, { notice, status });
  visits.get('/accounts/:id/payout', (visit) => showPayout(tools, visit));
  visits.post('/accounts/:id/payout/review', (visit) => askPayout(tools, visit), payoutAgain);
  visits.post('/accounts/:id/payout/do', (visit) => doPayout(tools, visit), payoutAgain);
  addStatementPages(visits, tools);
}

interface Shown {
  notice?: { text: string; isBad?: boolean };
  faults?: Faults;
  status?: number;
}

async function findWallet({ store }: ConsoleTools, { params }: ConsoleVisit) {
  const wallet = await store.read.wallet(params.id ?? '');
  if (!wallet) throw notFound('account');
  return wallet;
}

async function showRefund(tools: ConsoleTools, visit: ConsoleVisit, { status = 200, ...shown }: Shown = {}) {
  const { accountId } = await findWallet(tools, visit);
  const context = { ...visit.page, path: `/accounts/${accountId}/refund`, query: '' };
  const card = typed(visit.url.searchParams, 'card');
  const form = visit.request.method === 'GET' ? new URLSearchParams(card === '' ? {} : { card }) : visit.form;
  return visit.show(<RefundPage context={context} accountId={accountId} form={form} {...shown} />, { status });
}

const cardOf = ({ form }: ConsoleVisit) => typed(form, 'card').toUpperCase() || undefined;

async function askRefund(tools: ConsoleTools, visit: ConsoleVisit): Promise<Response> {
  const { refunds } = visit.page.words;
  const { given, faults } = readRefund(visit);
  if (!given) return showRefund(tools, visit, { faults, status: 422 });
  const { accountId, balance } = await findWallet(tools, visit);
  const { amount, reason } = given;
  const card = cardOf(visit);
  const path = `/accounts/${accountId}/refund`;
  return visit.show(
    <ConfirmPage
      context={{ ...visit.page, path, query: '' }}
      section="accounts"
      title={refunds.askRefund(money(amount))}
      consequences={[
        refunds.goesTo(accountId),
        ...(card === undefined ? [] : [refunds.ofCard(card)]),
        refunds.after(money(balance), money(balance + amount)),
        refunds.because(reason),
        refunds.final,
      ]}
      action={`${path}/do`}
      fields={{
        amount: typed(visit.form, 'amount'),
        reason,
        card: card ?? '',
        once: visit.once.ticket(),
      }}
      button={refunds.doRefund}
      back={`/accounts/${accountId}`}
    />,
  );
}

async function doRefund(tools: ConsoleTools, visit: ConsoleVisit): Promise<Response> {
  const { given, faults } = readRefund(visit);
  if (!given) return showRefund(tools, visit, { faults, status: 422 });
  const { frame, refunds } = visit.page.words;
  const once = visit.form.get('once') ?? '';
  if (!visit.once.take(once)) {
    return showRefund(tools, visit, { notice: { text: frame.twice, isBad: true }, status: 409 });
  }
  const accountId = visit.params.id ?? '';
  await refund(tools, accountId, { ...given, card: cardOf(visit), actor: ACTOR, once });
  return visit.goWith(`/accounts/${accountId}`, { notice: { text: refunds.didRefund(money(given.amount)) } });
}

async function showPayout(tools: ConsoleTools, visit: ConsoleVisit, { status = 200, ...shown }: Shown = {}) {
  const wallet = await findWallet(tools, visit);
  const context = { ...visit.page, path: `/accounts/${wallet.accountId}/payout`, query: '' };
  return visit.show(<PayoutPage context={context} wallet={wallet} form={visit.form} {...shown} />, { status });
}

function readPayout({ form, page: { words } }: ConsoleVisit) {
  const { refunds } = words;
  const reason = typed(form, 'reason');
  const amount = unlessRefused(() => readAmount(plainNumber(typed(form, 'amount'))));
  const fee = unlessRefused(() => readFee(plainNumber(typed(form, 'fee') || '0')));
  const faults = {
    ...(reason === '' ? { reason: refunds.wrongReason } : {}),
    ...(amount === undefined ? { amount: refunds.wrongAmount(money(MAX_AMOUNT)) } : {}),
    ...(fee === undefined ? { fee: refunds.wrongFee(money(MAX_AMOUNT)) } : {}),
  };
  const isWhole = amount !== undefined && fee !== undefined && reason !== '';
  return { given: isWhole ? { amount, fee, reason } : undefined, faults };
}

async function askPayout(tools: ConsoleTools, visit: ConsoleVisit): Promise<Response> {
  const { refunds, refusals } = visit.page.words;
  const { given, faults } = readPayout(visit);
  if (!given) return showPayout(tools, visit, { faults, status: 422 });
  const wallet = await findWallet(tools, visit);
  const { accountId, balance } = wallet;
  const { amount, fee, reason } = given;
  if (amount + fee > payable(wallet)) {
    return showPayout(tools, visit, { faults: { amount: refusals.above_paid }, status: 409 });
  }
  const path = `/accounts/${accountId}/payout`;
  return visit.show(
    <ConfirmPage
      context={{ ...visit.page, path, query: '' }}
      section="accounts"
      title={refunds.askPayout(money(amount))}
      consequences={[
        refunds.goesTo(accountId),
        ...(fee > 0n ? [refunds.withFee(money(fee), money(amount + fee))] : []),
        refunds.after(money(balance), money(balance - amount - fee)),
        refunds.because(reason),
        refunds.final,
      ]}
      action={`${path}/do`}
      fields={{
        amount: typed(visit.form, 'amount'),
        fee: typed(visit.form, 'fee'),
        reason,
        once: visit.once.ticket(),
      }}
      button={refunds.doPayout}
      back={`/accounts/${accountId}`}
    />,
  );
}

async function doPayout(tools: ConsoleTools, visit: ConsoleVisit): Promise<Response> {
  const { given, faults } = readPayout(visit);
  if (!given) return showPayout(tools, visit, { faults, status: 422 });
  const { frame, refunds } = visit.page.words;
  const once = visit.form.get('once') ?? '';
  if (!visit.once.take(once)) {
    return showPayout(tools, visit, { notice: { text: frame.twice, isBad: true }, status: 409 });
  }
  const accountId = visit.params.id ?? '';
  await payout(tools, accountId, { ...given, actor: ACTOR, once });
  return visit.goWith(`/accounts/${accountId}`, { notice: { text: refunds.didPayout(money(given.amount)) } });
}
