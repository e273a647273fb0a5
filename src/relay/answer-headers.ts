// The headers that every model answer carries.

import { formatNtd } from '../kit/money.ts';
import { rateHeaders } from '../limits/rate-headers.ts';
import type { Begun } from './begun.ts';
import type { Admission, RelayTools } from './call.ts';
import type { Settled } from './close.ts';

/** Of a stream nobody knows yet what its answer will lose. */
type Told = Pick<Begun, 'carrier' | 'fields'> & { lost?: readonly string[] };

export function answerHeaders(
  tools: RelayTools,
  admission: Admission,
  channel: string,
  { carrier, fields: { maxOutputTokens, thinkingBudget, withoutSealed }, lost: lostOfAnswer = [] }: Told,
): Record<string, string> {
  const { call, allowance, isBoundByMoney } = admission;
  const lost = [
    ...carrier.dropped,
    ...(carrier.droppedAt?.(maxOutputTokens) ?? []),
    ...lostOfAnswer,
    ...(thinkingBudget === undefined ? [] : ['thinking.budget_tokens']),
    ...(withoutSealed ? ['encrypted_content'] : []),
  ];
  // Who named no number would take an answer that the money cut short for all that the model had to say.
  const { maxOutputTokens: asked } = call.request;
  const isLowered = asked === undefined ? isBoundByMoney : maxOutputTokens < asked;
  return {
    'x-svc-channel': channel,
    ...(isLowered ? { 'x-svc-max-tokens': String(maxOutputTokens) } : {}),
    ...listHeader('x-svc-dropped', lost),
    ...listHeader('x-svc-translated', carrier.reworded),
    ...rateHeaders(allowance, tools.clock.now(), call.dialect.envelope),
  };
}

/** Names come from the client's own body: what no header can hold is told without it. */
function listHeader(name: string, values: readonly string[]): Record<string, string> {
  if (values.length === 0) return {};
  const shown = values.map((value) => value.replace(/[^\w.:[\]-]/g, '?').slice(0, MAX_NAME_CHARS));
  return { [name]: [...new Set(shown)].slice(0, MAX_NAMES).join(',') };
}

const MAX_NAMES = 50;
const MAX_NAME_CHARS = 64;

export function costHeaders(settled: Settled | undefined): Record<string, string> {
  if (!settled) return {};
  return { 'x-svc-cost-ntd': formatNtd(settled.cost), 'x-svc-balance-ntd': formatNtd(settled.balance) };
}
