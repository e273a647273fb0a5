// Turns a refused admission into a fault that names the limit, what is used, when it resets, and what to do.

import { type Fault, fault, wholeWaitS } from '../faults/fault.ts';
import { WAIT } from '../faults/table.ts';
import type { Envelope } from '../faults/write.ts';
import { MINUTE_MS } from '../kit/clock.ts';
import { counted } from '../kit/counted.ts';
import type { Allowance } from '../store/book/windows.ts';
import { keyRateFault } from './key-rate-fault.ts';
import { moneyFault } from './money-fault.ts';
import { rateHeaders } from './rate-headers.ts';
import type { Refused } from './recent-refusals.ts';
import type { RequestedCost } from './smaller-request.ts';

/** `requested` is called only if money or a rate of a key is the reason. */
export function admissionFault(
  refused: Refused,
  now: number,
  envelope: Envelope,
  requested: () => RequestedCost,
): Fault {
  switch (refused.reason) {
    case 'lease_lost':
      return fault('unavailable', { internal: 'this node has no lease' });
    case 'wallet_frozen':
      return fault('unavailable', {
        reason: refused.reason,
        message: 'The wallet of this account is frozen. Contact the operator of this service.',
        internal: 'wallet frozen',
      });
    case 'account_unknown':
      return fault('invalid_api_key', { internal: 'the account of this key is no longer in the database' });
    case 'insufficient_balance':
    case 'balance_in_use':
    case 'key_budget_exceeded':
    case 'budget_in_use':
      return moneyFault(refused, requested());
    default: {
      if (refused.ofKey) return keyRateFault(refused, refused.ofKey, { now, envelope, request: requested() });
      const known = knownFaults.get(refused)?.[envelope];
      if (known) return known;
      const first = limitFault(refused.reason, refused.allowance, now, {
        envelope,
        message: refused.isOfAddress ? addressDay : undefined,
      });
      knownFaults.set(refused, { ...knownFaults.get(refused), [envelope]: first });
      return first;
    }
  }
}

/** While a refusal is cached, the same fault is returned. */
const knownFaults = new WeakMap<Refused, Partial<Record<Envelope, Fault>>>();

const addressDay = (wait: string) =>
  `Free requests for today from this address are used up. Use a paid model, or retry in ${wait}, after midnight in Taipei.`;

interface LimitFaultOptions {
  envelope?: Envelope;
  /** Used where the usual text would name a different limit. */
  message?: ((wait: string) => string) | undefined;
}

type LimitCode =
  | 'free_minute_limit'
  | 'free_daily_limit'
  | 'rate_limited'
  | 'too_many_in_flight'
  | 'registration_ip_limit'
  | 'registration_site_limit'
  | 'redeem_rate_limited';

export function limitFault(
  code: LimitCode,
  allowance: Allowance,
  now: number,
  { envelope = 'openai', message }: LimitFaultOptions = {},
): Fault {
  const closed = allowance.limit === 0 ? CLOSED[code] : undefined;
  if (closed !== undefined) return closedFault(code, closed, { allowance, now, envelope });
  const isWait = code !== 'too_many_in_flight';
  const waitS = Math.max(1, Math.ceil((allowance.resetsAt - now) / 1000));
  const wait = describeWait(waitS);
  const isMinute = code === 'rate_limited' || code === 'free_minute_limit';
  return fault(code, {
    message: message?.(wait) ?? limitText(code, allowance, wait),
    figures: {
      limit: allowance.limit,
      used: allowance.used,
      ...(isWait ? { resets_at: new Date(allowance.resetsAt).toISOString() } : {}),
    },
    retryAfterS: isWait ? (allowance.resetsAt - now) / 1000 : undefined,
    headers: isWait ? rateHeaders(allowance, now, envelope, 'requests', isMinute ? wholeWaitS(waitS) : undefined) : {},
  });
}

function limitText(code: LimitCode, { limit, used }: Allowance, wait: string): string {
  switch (code) {
    case 'free_minute_limit':
      return `Free requests for this minute are used up (${used} of ${limit}). Retry in ${WAIT}, or use a paid model.`;
    case 'free_daily_limit':
      return `Free requests for today are used up (${used} of ${limit}). Use a paid model, or retry in ${wait}, after midnight in Taipei.`;
    case 'rate_limited':
      return `The limit of ${counted(limit, 'request', 'requests')} per minute is reached. Retry in ${WAIT}.`;
    case 'too_many_in_flight':
      return `Too many requests are running (${used} of ${limit}). Retry in ${WAIT}, when one of them may have ended.`;
    case 'redeem_rate_limited':
      return `Too many wrong card codes were sent (${used} of ${limit}). Retry in ${wait}.`;
    case 'registration_ip_limit':
      return `This address has registered ${used} of ${limit} accounts in 24 hours. Use a key you already have, or retry in ${wait}.`;
    case 'registration_site_limit':
      return `The registrations of today are used up. Retry in ${wait}, after midnight in Taipei.`;
  }
}

/** How long to wait, for people: rounded up, so that it is never too short. `resets_at` has the exact time. */
export function describeWait(seconds: number): string {
  if (seconds <= 120) return `${Math.ceil(seconds)} s`;
  return seconds <= 7_200 ? `${Math.ceil(seconds / 60)} min` : `${Math.ceil(seconds / 3_600)} h`;
}

const NO_PAID = 'This service accepts no paid requests at present. Use a free model.';
const NO_REGISTRATION =
  'This service accepts no registrations at present. Use a key you already have, or ask the operator for one.';

/** Texts for limits of 0, where waiting does not help. */
const CLOSED: Partial<Record<LimitCode, string>> = {
  free_minute_limit: 'This service accepts no free requests at present. Use a paid model.',
  // An account with a balance may still have some.
  free_daily_limit: 'This account has no free requests at present. Use a paid model.',
  rate_limited: NO_PAID,
  too_many_in_flight: NO_PAID,
  registration_ip_limit: NO_REGISTRATION,
  registration_site_limit: NO_REGISTRATION,
};

interface Closed {
  allowance: Allowance;
  now: number;
  envelope: Envelope;
}

/**
 * The end is unknown, so the text names no time and `retry-after` is the longest possible. The limit headers require a
 * reset: they report one minute.
 */
function closedFault(code: LimitCode, message: string, { allowance, now, envelope }: Closed): Fault {
  const { limit, used } = allowance;
  const reported = { ...allowance, resetsAt: now + MINUTE_MS };
  return fault(code, {
    message,
    figures: { limit, used },
    retryAfterS: Number.POSITIVE_INFINITY,
    headers: code === 'too_many_in_flight' ? {} : rateHeaders(reported, now, envelope),
  });
}
