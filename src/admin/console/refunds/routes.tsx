/** @jsxImportSource hono/jsx */
// Forms for money back: a refund that is not of a request, and a payout. Each asks on a second page and acts once.

import { formatNtd } from '../../../kit/money.ts';
import { money } from '../../../site/format.ts';
import { LinkButton, SubmitRow } from '../../../site/parts/button.tsx';
import { TextField } from '../../../site/parts/field.tsx';
import { Facts } from '../../../site/parts/table.tsx';
import { plainNumber, typed } from '../../../site/read-form.ts';
import type { Wallet } from '../../../store/rows.ts';
import { payable, payout, refund } from '../../actions/money.ts';
import { MAX_AMOUNT, readFee } from '../../actions/read-input.ts';
import { notFound } from '../../actions/refused.ts';
import { ConsolePage } from '../frame.tsx';
import { fieldsIn, readMoney, SentInVain, type Shown, takeTicket, unlessRefused } from '../refused.ts';
import { ACTOR } from '../tools.ts';
import type { ConsoleVisit, ConsoleVisits } from '../visits.tsx';
import { addStatementPages } from './statements.tsx';

export function addRefundPages(visits: ConsoleVisits): void {
  visits.get('/accounts/:id/refund', showRefund);
  visits.post('/accounts/:id/refund/review', askRefund, showRefund);
  visits.post('/accounts/:id/refund/do', doRefund, showRefund);
  visits.get('/accounts/:id/payout', showPayout);
  visits.post('/accounts/:id/payout/review', askPayout, showPayout);
  visits.post('/accounts/:id/payout/do', doPayout, showPayout);
  addStatementPages(visits);
}

async function findWallet({ tools, params }: ConsoleVisit): Promise<Wallet> {
  const wallet = await tools.store.read.wallet(params.id ?? '');
  if (!wallet) throw notFound('account');
  return wallet;
}

async function showRefund(visit: ConsoleVisit, { status = 200, faults, notice }: Shown = {}): Promise<Response> {
  const { accountId } = await findWallet(visit);
  const context = { ...visit.page, query: '' };
  const { refunds, accounts, frame } = context.words;
  const isSent = visit.request.method === 'POST';
  const form = isSent ? visit.form : new URLSearchParams({ card: typed(visit.url.searchParams, 'card') });
  const field = fieldsIn({ form, faults });
  return visit.show(
    <ConsolePage context={context} section="accounts" title={refunds.refund} lead={refunds.refundLead} notice={notice}>
      <div class="narrow">
        <Facts look="lines" facts={[[accounts.account, <span class="id">{accountId}</span>]]} />
        <form method="post" action={`/accounts/${accountId}/refund/review`}>
          <TextField {...field('amount')} label={refunds.amount} inputmode="decimal" required />
          <TextField {...field('card')} label={refunds.card} help={refunds.cardHelp} maxlength={40} />
          <TextField {...field('reason')} label={refunds.reason} help={refunds.reasonHelp} maxlength={200} required />
          <SubmitRow text={refunds.review} back={`/accounts/${accountId}`} backText={frame.cancel} />
        </form>
      </div>
    </ConsolePage>,
    { status },
  );
}

const cardOf = ({ form }: ConsoleVisit) => typed(form, 'card').toUpperCase() || undefined;

async function askRefund(visit: ConsoleVisit): Promise<Response> {
  const { refunds } = visit.page.words;
  const { amount, reason } = readMoney(visit, refunds);
  const { accountId, balance } = await findWallet(visit);
  const card = cardOf(visit);
  return visit.ask({
    section: 'accounts',
    title: refunds.askRefund(money(amount)),
    consequences: [
      refunds.goesTo(accountId),
      ...(card === undefined ? [] : [refunds.ofCard(card)]),
      refunds.after(money(balance), money(balance + amount)),
      refunds.because(reason),
      refunds.final,
    ],
    action: `/accounts/${accountId}/refund/do`,
    fields: { amount: typed(visit.form, 'amount'), reason, card: card ?? '', once: visit.once.ticket() },
    button: refunds.doRefund,
    back: `/accounts/${accountId}`,
  });
}

async function doRefund(visit: ConsoleVisit): Promise<Response> {
  const { refunds } = visit.page.words;
  const given = readMoney(visit, refunds);
  const once = takeTicket(visit);
  const accountId = visit.params.id ?? '';
  await refund(visit.tools, accountId, { ...given, card: cardOf(visit), actor: ACTOR, once });
  return visit.goWith(`/accounts/${accountId}`, { notice: { text: refunds.didRefund(money(given.amount)) } });
}

async function showPayout(visit: ConsoleVisit, { status = 200, faults, notice }: Shown = {}): Promise<Response> {
  const wallet = await findWallet(visit);
  const context = { ...visit.page, query: '' };
  const { refunds, accounts, frame } = context.words;
  const { accountId, balance, held, paid } = wallet;
  const most = payable(wallet);
  const back = `/accounts/${accountId}`;
  const field = fieldsIn({ form: visit.form, faults });
  return visit.show(
    <ConsolePage context={context} section="accounts" title={refunds.payout} lead={refunds.payoutLead} notice={notice}>
      <div class="narrow">
        <Facts
          look="lines"
          facts={[
            [accounts.account, <span class="id">{accountId}</span>],
            [refunds.balance, money(balance)],
            [refunds.paid, money(paid)],
            [refunds.held, money(held)],
            [refunds.payable, <strong>{money(most)}</strong>],
          ]}
        />
        {most > 0n ? (
          <form method="post" action={`${back}/payout/review`}>
            <TextField
              {...field('amount', formatNtd(most))}
              label={refunds.amount}
              help={refunds.amountHelp}
              inputmode="decimal"
              required
            />
            <TextField {...field('fee')} label={refunds.fee} help={refunds.feeHelp} inputmode="decimal" />
            <TextField {...field('reason')} label={refunds.reason} help={refunds.reasonHelp} maxlength={200} required />
            <SubmitRow text={refunds.review} back={back} backText={frame.cancel} />
          </form>
        ) : (
          <>
            <p class="empty">{refunds.nothingPayable}</p>
            <LinkButton look="quiet" href={back} text={frame.cancel} />
          </>
        )}
      </div>
    </ConsolePage>,
    { status },
  );
}

function readPayout(visit: ConsoleVisit) {
  const { refunds } = visit.page.words;
  const fee = unlessRefused(() => readFee(plainNumber(typed(visit.form, 'fee') || '0')));
  const given = readMoney(visit, refunds, fee === undefined ? { fee: refunds.wrongFee(money(MAX_AMOUNT)) } : {});
  return { ...given, fee: fee ?? 0n };
}

async function askPayout(visit: ConsoleVisit): Promise<Response> {
  const { refunds, refusals } = visit.page.words;
  const { amount, fee, reason } = readPayout(visit);
  const wallet = await findWallet(visit);
  const { accountId, balance } = wallet;
  if (amount + fee > payable(wallet)) {
    throw new SentInVain({ faults: { amount: refusals.above_paid }, status: 409 });
  }
  return visit.ask({
    section: 'accounts',
    title: refunds.askPayout(money(amount)),
    consequences: [
      refunds.goesTo(accountId),
      ...(fee > 0n ? [refunds.withFee(money(fee), money(amount + fee))] : []),
      refunds.after(money(balance), money(balance - amount - fee)),
      refunds.because(reason),
      refunds.final,
    ],
    action: `/accounts/${accountId}/payout/do`,
    fields: {
      amount: typed(visit.form, 'amount'),
      fee: typed(visit.form, 'fee'),
      reason,
      once: visit.once.ticket(),
    },
    button: refunds.doPayout,
    back: `/accounts/${accountId}`,
  });
}

async function doPayout(visit: ConsoleVisit): Promise<Response> {
  const { refunds } = visit.page.words;
  const given = readPayout(visit);
  const once = takeTicket(visit);
  const accountId = visit.params.id ?? '';
  await payout(visit.tools, accountId, { ...given, actor: ACTOR, once });
  return visit.goWith(`/accounts/${accountId}`, { notice: { text: refunds.didPayout(money(given.amount)) } });
}
