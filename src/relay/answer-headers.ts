// The headers that every model answer carries.

import { formatNtd } from '../kit/money.ts';
import { rateHeaders } from '../limits/rate-headers.ts';
import type { Admission, RelayTools } from './call.ts';
import type { Settled } from './close.ts';

export function answerHeaders(tools: RelayTools, admission: Admission, channel: string): Record<string, string> {
  const { call, maxOutputTokens, allowance } = admission;
  const asked = call.request.maxOutputTokens;
  return {
    'x-svc-channel': channel,
    ...(asked !== undefined && maxOutputTokens < asked ? { 'x-svc-max-tokens': String(maxOutputTokens) } : {}),
    ...(admission.thinkingBudget === undefined ? {} : { 'x-svc-dropped': 'thinking.budget_tokens' }),
    ...rateHeaders(allowance, tools.clock.now()),
  };
}

export function costHeaders(settled: Settled | undefined): Record<string, string> {
  if (!settled) return {};
  return { 'x-svc-cost-ntd': formatNtd(settled.cost), 'x-svc-balance-ntd': formatNtd(settled.balance) };
}
