// Refused requests: how many there were, and the newest ones. Without any content.

import { taipeiDay } from '../../kit/taipei.ts';
import type { RefusalCount, RefusedRequest } from '../../store/refusals.ts';
import { dayText } from './ledger.ts';
import { notFound } from './refused.ts';
import type { OperatingTools } from './tools.ts';

type Tools = Pick<OperatingTools, 'store' | 'clock'>;

/** As long as counts are kept. */
export const REFUSAL_DAYS = 30;

export interface RefusedView extends Omit<RefusedRequest, 'accountId' | 'keyId'> {
  /** Null: the key was missing or not valid. */
  accountId: string | null;
  keyId: string | null;
}

export interface CountView extends Omit<RefusalCount, 'accountId' | 'keyId' | 'day'> {
  day: string;
  keyId: string | null;
}

export interface RefusalsView {
  /** Newest first. */
  data: readonly RefusedView[];
  /** Counts of the last 30 days, the newest day first; empty if one request was asked for. */
  counts: readonly CountView[];
}

/** Refusals of one account, of all requests whose account is unknown, or one request of any account. */
export async function showRefusals(
  { store, clock }: Tools,
  { accountId, requestId }: { accountId?: string | undefined; requestId?: string | undefined },
): Promise<RefusalsView> {
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
export async function showRefused(tools: Tools, requestId: string): Promise<RefusedView> {
  const [found] = (await showRefusals(tools, { requestId })).data;
  if (!found) throw notFound(`refused request ${requestId}`);
  return found;
}

function viewRefused({ accountId, keyId, ...request }: RefusedRequest): RefusedView {
  return { ...request, accountId: accountId || null, keyId: keyId || null };
}

function viewCount({ day, keyId, code, refused }: RefusalCount): CountView {
  return { day: dayText(day), keyId: keyId || null, code, refused };
}
