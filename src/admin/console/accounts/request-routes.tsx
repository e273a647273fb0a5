/** @jsxImportSource hono/jsx */
// The page of a request, and the refund that its form makes.

import { money } from '../../../site/format.ts';
import type { Notice } from '../../../site/frame.tsx';
import { showRequest } from '../../actions/accounts.ts';
import { refund } from '../../actions/refunds.ts';
import { readNicknames } from '../customer.tsx';
import { readRefund } from '../refunds/read-refund.ts';
import { ACTOR, type ConsoleTools } from '../tools.ts';
import type { ConsoleVisit, ConsoleVisits } from '../visits.tsx';
import { RequestPage, requestPath } from './request.tsx';

export function addRequestPage(visits: ConsoleVisits, tools: ConsoleTools): void {
  visits.get('/accounts/:id/requests/:request', (visit) => show(tools, visit));
  visits.post(
    '/accounts/:id/requests/:request/refund',
    (visit) => refundRequest(tools, visit),
    (visit, notice, status) => show(tools, visit, { notice, status }),
  );
}

interface Shown {
  notice?: Notice;
  faults?: Readonly<Record<string, string>>;
  status?: number;
}

async function show(tools: ConsoleTools, visit: ConsoleVisit, { notice, faults, status = 200 }: Shown = {}) {
  const { id: accountId = '', request: requestId = '' } = visit.params;
  const found = await showRequest(tools, accountId, requestId);
  const nicknames = await readNicknames(tools, [accountId]);
  const form = { ticket: visit.once.ticket(), form: visit.form, faults };
  return visit.show(
    <RequestPage context={visit.page} {...{ accountId, nicknames, requestId, found, notice }} refund={form} />,
    { status },
  );
}

async function refundRequest(tools: ConsoleTools, visit: ConsoleVisit): Promise<Response> {
  const { id: accountId = '', request: requestId = '' } = visit.params;
  const { frame, refunds } = visit.page.words;
  const { given, faults } = readRefund(visit);
  if (!given) return show(tools, visit, { faults, status: 422 });
  const once = visit.form.get('once') ?? '';
  if (!visit.once.take(once)) {
    return show(
      tools,
      { ...visit, form: new URLSearchParams() },
      { notice: { text: frame.twice, isBad: true }, status: 409 },
    );
  }
  await refund(tools, accountId, { ...given, requestId, actor: ACTOR, once });
  const notice = { text: refunds.didRefund(money(given.amount)) };
  return visit.goWith(requestPath(accountId, requestId), { notice });
}
