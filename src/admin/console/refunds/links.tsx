/** @jsxImportSource hono/jsx */
// Links to the money of an account, for its page and for the page of a request.

import type { Nano } from '../../../kit/money.ts';
import { LinkButton } from '../../../site/parts/button.tsx';
import type { ConsoleContext } from '../frame.tsx';

export function MoneyLinks({ context, accountId }: { context: ConsoleContext; accountId: string }) {
  const { refunds } = context.words;
  return (
    <>
      <LinkButton look="quiet" href={`/accounts/${accountId}/refund`} text={refunds.refund} />
      <LinkButton look="quiet" href={`/accounts/${accountId}/payout`} text={refunds.payout} />
      <LinkButton look="quiet" href={`/accounts/${accountId}/statements`} text={refunds.statements} />
    </>
  );
}

interface RefundLinkProps {
  context: ConsoleContext;
  accountId: string;
  requestId: string;
  left: Nano;
}

/** Nothing if all of it was refunded. */
export function RefundLink({ context, accountId, requestId, left }: RefundLinkProps) {
  if (left <= 0n) return null;
  const href = `/accounts/${accountId}/refund?${new URLSearchParams({ request: requestId })}`;
  return (
    <p>
      <LinkButton look="quiet" href={href} text={context.words.refunds.refundRequest} />
    </p>
  );
}
