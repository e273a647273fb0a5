/** @jsxImportSource hono/jsx */
// The form of a refund: of a request, with what is left of its cost, or of an amount, which may be about a card.

import { formatNtd, type Nano } from '../../../kit/money.ts';
import { money } from '../../../site/format.ts';
import type { Notice } from '../../../site/frame.tsx';
import { LinkButton, SubmitRow } from '../../../site/parts/button.tsx';
import { Hidden, TextField } from '../../../site/parts/field.tsx';
import { Facts } from '../../../site/parts/table.tsx';
import { type ConsoleContext, ConsolePage } from '../frame.tsx';

interface RefundProps {
  context: ConsoleContext;
  accountId: string;
  request: { requestId: string; charged: Nano; refunded: Nano } | undefined;
  /** What was sent and refused, else empty. */
  form: URLSearchParams;
  faults?: Readonly<Record<string, string>>;
  notice?: Notice | undefined;
}

export function RefundPage({ context, accountId, request, form, faults = {}, notice }: RefundProps) {
  const { refunds, accounts, frame } = context.words;
  const left = request && request.charged - request.refunded;
  const back = request ? `/accounts/${accountId}/requests/${request.requestId}` : `/accounts/${accountId}`;
  const field = (name: string, value = '') => ({ name, value: form.get(name) ?? value, fault: faults[name] });
  return (
    <ConsolePage
      context={context}
      section="accounts"
      title={request ? refunds.refundRequest : refunds.refund}
      lead={refunds.refundLead}
      notice={notice}
    >
      <div class="narrow">
        <Facts
          look="lines"
          facts={[
            [accounts.account, <span class="id">{accountId}</span>],
            ...(request
              ? ([
                  [accounts.request, <span class="id">{request.requestId}</span>],
                  [accounts.cost, money(request.charged)],
                  [refunds.refunded, money(request.refunded)],
                  [refunds.left, money(left ?? 0n)],
                ] as const)
              : []),
          ]}
        />
        {left === 0n ? (
          <>
            <p class="empty">{request?.charged === 0n ? refunds.free : refunds.allRefunded}</p>
            <LinkButton look="quiet" href={back} text={frame.cancel} />
          </>
        ) : (
          <form method="post" action={`/accounts/${accountId}/refund/review`}>
            {request ? <Hidden fields={{ request: request.requestId }} /> : null}
            <TextField
              {...field('amount', left === undefined ? '' : formatNtd(left))}
              label={refunds.amount}
              inputmode="decimal"
              required
            />
            {request ? null : (
              <TextField {...field('card')} label={refunds.card} help={refunds.cardHelp} maxlength={40} />
            )}
            <TextField {...field('reason')} label={refunds.reason} help={refunds.reasonHelp} maxlength={200} required />
            <SubmitRow text={refunds.review} back={back} backText={frame.cancel} />
          </form>
        )}
      </div>
    </ConsolePage>
  );
}
