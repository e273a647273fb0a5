// The fault for a rate of a key, or of a key above it: it names the key and the limit.

import { type Fault, fault } from '../faults/fault.ts';
import type { Envelope } from '../faults/write.ts';
import type { KeyRate, LimitRefusal } from '../store/operations.ts';
import { rateHeaders } from './rate-headers.ts';

export function keyRateFault(
  { reason, allowance }: LimitRefusal,
  rate: KeyRate,
  now: number,
  envelope: Envelope,
): Fault {
  const { limit, used, resetsAt } = allowance;
  const { keyId, counts } = rate;
  const isWait = counts !== 'in_flight';
  const isNever = counts === 'tokens' && rate.needed > limit;
  const waitS = isNever ? Number.POSITIVE_INFINITY : (resetsAt - now) / 1000;
  return fault(reason, {
    message: textOf(rate, limit, used, Math.max(1, Math.ceil(waitS))),
    figures: {
      key_id: keyId,
      limit,
      used,
      ...(isWait && !isNever ? { resets_at: new Date(resetsAt).toISOString() } : {}),
    },
    retryAfterS: isWait ? waitS : undefined,
    headers: isWait ? rateHeaders(allowance, now, envelope, counts) : {},
  });
}

function textOf(rate: KeyRate, limit: number, used: number, waitS: number): string {
  const { keyId } = rate;
  switch (rate.counts) {
    case 'requests':
      return `Key ${keyId} is limited to ${limit} requests per minute. Retry in ${waitS} s.`;
    case 'in_flight':
      return `Key ${keyId} is limited to ${limit} running requests, and ${used} are running. Wait for one of them to end.`;
    case 'tokens': {
      const limited = `Key ${keyId} is limited to ${limit} tokens per minute`;
      return rate.needed > limit
        ? `${limited}, and this request may use ${rate.needed}. Send less input.`
        : `${limited}, ${used} of them are used, and this request may use ${rate.needed}. Retry in ${waitS} s, or lower the output limit.`;
    }
  }
}
