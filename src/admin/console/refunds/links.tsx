/** @jsxImportSource hono/jsx */
// Links to the money of an account, for its page.

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
