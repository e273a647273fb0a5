// Refused requests: how many there were, and the newest ones. Without any content.

import { taipeiDay } from '../../kit/taipei.ts';
import type { RefusalCount, RefusedRequest } from '../../store/refusals.ts';
import { dayText } from './ledger.ts';
import { notFound } from './refused.ts';
import type { ReadingTools } from './tools.ts';

interface Wanted {
  accountId?: string | undefined;
  requestId?: string | undefined;
}

/** As long as counts are kept. */
const REFUSAL_DAYS = 30;

export type RefusedView = ReturnType<typeof viewRefused>;
export type RefusalsView = Awaited<ReturnType<typeof showRefusals>>;

/**
 * Refusals of one account, of all requests whose account is unknown, or one request of any account; newest first. With the
 * counts of the last 30 days, unless one request was asked for.
 */
export async function showRefusals({ store, clock }: ReadingTools, { accountId, requestId }: Wanted) {
  if (requestId !== undefined) {
    const found = await store.read.refusedRequests({ accountId, requestId });
    return { data: found.map(viewRefused), counts: [] };
  }
  const whose = accountId ?? '';
  const [requests, counts] = await Promise.all([
    store.read.refusedRequests({ accountId: whose }),
    store.read.refusalCounts(whose, taipeiDay(clock.now()) - REFUSAL_DAYS + 1),
  ]);
  return { data: requests.map(viewRefused), counts: counts.map(viewCount) };
}

/** Refused: not_found. */
export async function showRefused(tools: ReadingTools, requestId: string): Promise<RefusedView> {
  const [found] = (await showRefusals(tools, { requestId })).data;
  if (!found) throw notFound(`refused request ${requestId}`);
  return found;
}

/** Without an account the key was missing or not valid. */
function viewRefused({ accountId, keyId, ...request }: RefusedRequest) {
  return { ...request, accountId: accountId || null, keyId: keyId || null };
}

function viewCount({ day, keyId, code, refused }: RefusalCount) {
  return { day: dayText(day), keyId: keyId || null, code, refused };
}
