// The account's request limit as headers of every response; for the Anthropic format also under Anthropic's names.

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

/** The paid window ends on a whole second, up to one second more than a minute away: reported as 60. */
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
