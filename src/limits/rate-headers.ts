// The request limit as headers of every response, and the token limit of keys that have one; for the Anthropic format also
// under Anthropic's names.

import type { Envelope } from '../faults/write.ts';
import type { Allowance } from '../store/book/windows.ts';

type Counted = 'requests' | 'tokens';

/** `waitS`: for a refusal the seconds of its `retry-after`, so that both say the same. */
export function rateHeaders(
  allowance: Allowance,
  now: number,
  envelope: Envelope,
  counted: Counted = 'requests',
  waitS = wholeSeconds(allowance.resetsAt - now),
): Record<string, string> {
  const headers = {
    [`x-ratelimit-limit-${counted}`]: String(allowance.limit),
    [`x-ratelimit-remaining-${counted}`]: String(allowance.remaining),
    [`x-ratelimit-reset-${counted}`]: `${waitS}s`,
  };
  return envelope === 'anthropic' ? { ...headers, ...anthropicNames(allowance, counted) } : headers;
}

/** The paid window ends on a whole second, up to one second more than a minute away: reported as 60. */
function wholeSeconds(ms: number): number {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  return seconds === 61 ? 60 : seconds;
}

function anthropicNames({ limit, remaining, resetsAt }: Allowance, counted: Counted): Record<string, string> {
  return {
    [`anthropic-ratelimit-${counted}-limit`]: String(limit),
    [`anthropic-ratelimit-${counted}-remaining`]: String(remaining),
    [`anthropic-ratelimit-${counted}-reset`]: new Date(resetsAt).toISOString(),
  };
}
