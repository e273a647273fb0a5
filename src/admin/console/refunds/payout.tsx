/** @jsxImportSource hono/jsx */
// The form of a payout, with what can be paid out at most.

import { formatNtd } from '../../../kit/money.ts';
import { money } from '../../../site/format.ts';
import type { Notice } from '../../../site/frame.tsx';
import { LinkButton, SubmitRow } from '../../../site/parts/button.tsx';
import { TextField } from '../../../site/parts/field.tsx';
import { Facts } from '../../../site/parts/table.tsx';
import type { Wallet } from '../../../store/rows.ts';
import { payable } from '../../actions/refunds.ts';
import { type ConsoleContext, ConsolePage } from '../frame.tsx';

interface PayoutProps {
  context: ConsoleContext;
  wallet: Wallet;
  /** The refused input; empty without one. */
  form: URLSearchParams;
  faults?: Readonly<Record<string, string>>;
  notice?: Notice | undefined;
}

export function PayoutPage({ context, wallet, form, faults = {}, notice }: PayoutProps) {
  const { refunds, accounts, frame } = context.words;
  const { accountId, balance, held, paid } = wallet;
  const most = payable(wallet);
  const back = `/accounts/${accountId}`;
  const field = (name: string, value = '') => ({ name, value: form.get(name) ?? value, fault: faults[name] });
  return (
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
    </ConsolePage>
  );
}
