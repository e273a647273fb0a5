// The account's own limit, told on every answer; to clients of the Anthropic format also in the names they know.

import type { Envelope } from '../faults/write.ts';
import type { Allowance } from '../store/book/windows.ts';

export function rateHeaders(allowance: Allowance, now: number, envelope: Envelope): Record<string, string> {
  const seconds = Math.max(0, Math.ceil((allowance.resetsAt - now) / 1000));
  return {
    'x-ratelimit-limit-requests': String(allowance.limit),
    'x-ratelimit-remaining-requests': String(allowance.remaining),
    'x-ratelimit-reset-requests': `${seconds}s`,
    ...(envelope === 'anthropic' ? anthropicNames(allowance) : {}),
  };
}

function anthropicNames({ limit, remaining, resetsAt }: Allowance): Record<string, string> {
  return {
    'anthropic-ratelimit-requests-limit': String(limit),
    'anthropic-ratelimit-requests-remaining': String(remaining),
    'anthropic-ratelimit-requests-reset': new Date(resetsAt).toISOString(),
  };
}
