/** @jsxImportSource hono/jsx */
// The form of a refund that is not of a request: of an amount, which may be about a card.

import type { Notice } from '../../../site/frame.tsx';
import { SubmitRow } from '../../../site/parts/button.tsx';
import { TextField } from '../../../site/parts/field.tsx';
import { Facts } from '../../../site/parts/table.tsx';
import { type ConsoleContext, ConsolePage } from '../frame.tsx';

interface RefundProps {
  context: ConsoleContext;
  accountId: string;
  /** The refused input; empty without one. */
  form: URLSearchParams;
  faults?: Readonly<Record<string, string>>;
  notice?: Notice | undefined;
}

export function RefundPage({ context, accountId, form, faults = {}, notice }: RefundProps) {
  const { refunds, accounts, frame } = context.words;
  const field = (name: string) => ({ name, value: form.get(name) ?? '', fault: faults[name] });
  return (
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
    </ConsolePage>
  );
}
