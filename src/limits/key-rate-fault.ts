// The fault for a rate of a key, or of a key above it: it names the key, the limit and what helps.

import { type Fault, fault, wholeWaitS } from '../faults/fault.ts';
import { sampleCall } from '../faults/sample-call.ts';
import { type FaultAction, SHOW_ME, WAIT } from '../faults/table.ts';
import type { Envelope } from '../faults/write.ts';
import { counted } from '../kit/counted.ts';
import type { KeyLimits } from '../store/key-limits.ts';
import type { KeyRate, LimitRefusal } from '../store/operations.ts';
import { whoMayRaise } from './raise-budgets.ts';
import { rateHeaders } from './rate-headers.ts';
import { type RequestedCost, SAMPLE_MARGIN_TOKENS } from './smaller-request.ts';

interface Case {
  now: number;
  envelope: Envelope;
  request: RequestedCost;
}

export function keyRateFault(
  { reason, allowance }: LimitRefusal,
  rate: KeyRate,
  { now, envelope, request }: Case,
): Fault {
  const { limit, used, resetsAt } = allowance;
  const { keyId, counts } = rate;
  const isWait = counts !== 'in_flight';
  const isNever = counts === 'tokens' && rate.needed > limit;
  const waitS = isNever ? Number.POSITIVE_INFINITY : (resetsAt - now) / 1000;
  const fitting = fittingTokens(rate, request);
  return fault(reason, {
    message: textOf(rate, limit, used, fitting ? `lower ${request.boundName} to ${fitting}` : 'send less input'),
    actions: [...smallerCall(request, fitting), ...raiseActions(rate, used, request), SHOW_ME],
    figures: {
      key_id: keyId,
      limit,
      used,
      ...(counts === 'tokens' ? { needed_tokens: rate.needed } : {}),
      ...(fitting ? { affordable_max_tokens: fitting } : {}),
      ...(isWait && !isNever ? { resets_at: new Date(resetsAt).toISOString() } : {}),
    },
    retryAfterS: isWait ? waitS : undefined,
    headers: isWait ? rateHeaders(allowance, now, envelope, counts, wholeWaitS(waitS)) : {},
  });
}

/** The output limit that the minute has tokens for; undefined if a lower one does not help. */
function fittingTokens(rate: KeyRate, { boundName, thinkingBudget }: RequestedCost): number | undefined {
  if (rate.counts !== 'tokens' || boundName === undefined || thinkingBudget !== undefined) return undefined;
  const fitting = rate.fitting - SAMPLE_MARGIN_TOKENS;
  return fitting > 0 ? fitting : undefined;
}

function smallerCall(request: RequestedCost, fitting: number | undefined): FaultAction[] {
  const { boundName } = request;
  if (fitting === undefined || boundName === undefined) return [];
  return [
    {
      ...sampleCall(request, { model: request.model, [boundName]: fitting }),
      why: `this ${boundName} fits into the current minute`,
    },
  ];
}

function textOf(rate: KeyRate, limit: number, used: number, remedy: string): string {
  const limited = `Key ${rate.keyId} is limited to`;
  switch (rate.counts) {
    case 'requests':
      return `${limited} ${counted(limit, 'request', 'requests')} per minute. Retry in ${WAIT}.`;
    case 'in_flight':
      return `${limited} ${counted(limit, 'running request', 'running requests')}, and ${used} ${used === 1 ? 'is' : 'are'} running. Wait for one of them to end.`;
    case 'tokens': {
      const needs = `this request needs at least ${rate.needed}`;
      const perMinute = `${limited} ${counted(limit, 'token', 'tokens')} per minute`;
      return rate.needed > limit
        ? `${perMinute}, and ${needs}. ${remedy.charAt(0).toUpperCase()}${remedy.slice(1)}.`
        : `${perMinute}, ${used} of them are used, and ${needs}. Retry in ${WAIT}, or ${remedy}.`;
    }
  }
}

const RATES = {
  requests: { limit: 'requestsPerMinute', field: 'requests_per_minute' },
  tokens: { limit: 'tokensPerMinute', field: 'tokens_per_minute' },
  in_flight: { limit: 'inFlight', field: 'in_flight' },
} as const satisfies Record<KeyRate['counts'], { limit: keyof KeyLimits; field: string }>;

/** The outermost key first: no key may have a higher rate than a key above it. */
function raiseActions(rate: KeyRate, used: number, request: RequestedCost): FaultAction[] {
  const { limit, field } = RATES[rate.counts];
  const to = used + (rate.counts === 'tokens' ? rate.needed : 1);
  const place = request.keys.findIndex(({ keyId }) => keyId === rate.keyId);
  const lower = request.keys.slice(Math.max(0, place)).filter(({ limits }) => (limits[limit] ?? to) < to);
  return lower.reverse().map(({ keyId }) => ({
    method: 'PATCH',
    path: `/api/keys/${keyId}`,
    body: { rates: { [field]: to } },
    why: `raise ${field} to ${to}, which leaves enough for this request; needs ${whoMayRaise(keyId, request)}`,
  }));
}
