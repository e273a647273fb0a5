// The account's own limit, told on every answer in both families' names.

import type { Allowance } from '../store/book/windows.ts';

export function rateHeaders(allowance: Allowance, now: number): Record<string, string> {
  const seconds = Math.max(0, Math.ceil((allowance.resetsAt - now) / 1000));
  return {
    'x-ratelimit-limit-requests': String(allowance.limit),
    'x-ratelimit-remaining-requests': String(allowance.remaining),
    'x-ratelimit-reset-requests': `${seconds}s`,
    'anthropic-ratelimit-requests-limit': String(allowance.limit),
    'anthropic-ratelimit-requests-remaining': String(allowance.remaining),
    'anthropic-ratelimit-requests-reset': new Date(allowance.resetsAt).toISOString(),
  };
}
