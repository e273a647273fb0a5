// The account's own limit, told on every answer; to clients of the Anthropic format also in the names they know.

import type { Envelope } from '../faults/write.ts';
import type { Allowance } from '../store/book/windows.ts';

export function rateHeaders(allowance: Allowance, now: number, envelope: Envelope): Record<string, string> {
  const headers = {
    'x-ratelimit-limit-requests': String(allowance.limit),
    'x-ratelimit-remaining-requests': String(allowance.remaining),
    'x-ratelimit-reset-requests': `${wholeSeconds(allowance.resetsAt - now)}s`,
  };
  return envelope === 'anthropic' ? { ...headers, ...anthropicNames(allowance) } : headers;
}

/** The paid minute ends with a whole second, so up to one later than a minute from now: it is told as a minute. */
function wholeSeconds(ms: number): number {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  return seconds === 61 ? 60 : seconds;
}

function anthropicNames({ limit, remaining, resetsAt }: Allowance): Record<string, string> {
  return {
    'anthropic-ratelimit-requests-limit': String(limit),
    'anthropic-ratelimit-requests-remaining': String(remaining),
    'anthropic-ratelimit-requests-reset': new Date(resetsAt).toISOString(),
  };
}
