/** @jsxImportSource hono/jsx */
// The refund of a request, as a form on its page. It acts without a question: a refund is never above what the request cost,
// and its ticket makes it act once.

import { formatNtd, type Nano } from '../../../kit/money.ts';
import { Submit } from '../../../site/parts/button.tsx';
import { Hidden, TextField } from '../../../site/parts/field.tsx';
import type { ConsoleContext } from '../frame.tsx';

export interface RefundForm {
  ticket: string;
  /** The refused input; empty without one. */
  form: URLSearchParams;
  faults?: Readonly<Record<string, string>> | undefined;
}

interface RequestRefundProps extends RefundForm {
  context: ConsoleContext;
  /** Address of the request's page. */
  path: string;
  charged: Nano;
  refunded: Nano;
}

/** Nothing if the request was free. */
export function RequestRefund({ context, path, charged, refunded, ticket, form, faults = {} }: RequestRefundProps) {
  const { refunds } = context.words;
  if (charged === 0n) return null;
  const left = charged - refunded;
  const field = (name: string, value: string) => ({ name, value: form.get(name) ?? value, fault: faults[name] });
  return (
    <section class="refund" id="refund">
      <h2>{refunds.refundRequest}</h2>
      {left === 0n ? (
        <p class="faint">{refunds.allRefunded}</p>
      ) : (
        <form method="post" action={`${path}/refund`} data-once>
          <p class="faint">{refunds.refundLead}</p>
          <Hidden fields={{ once: ticket }} />
          <div class="amount-and-reason">
            <TextField
              {...field('amount', formatNtd(left))}
              label={refunds.amount}
              inputmode="decimal"
              hasFocus={faults.amount !== undefined}
              required
            />
            <TextField
              {...field('reason', '')}
              label={refunds.reason}
              hasFocus={faults.amount === undefined}
              maxlength={200}
              required
            />
            <Submit text={refunds.doRefund} />
          </div>
        </form>
      )}
    </section>
  );
}
