// The headers that every model answer carries.

import { THINKING_BUDGET } from '../dialects/dialect.ts';
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
  told: Told,
): Record<string, string> {
  const { call, allowance, isBoundByMoney } = admission;
  const { maxOutputTokens } = told.fields;
  const headers = rateHeaders(allowance, tools.clock.now(), call.dialect.envelope);
  headers['x-svc-channel'] = channel;
  // Who named no number would take an answer that the money cut short for all that the model had to say.
  const { maxOutputTokens: asked } = call.request;
  const isLowered = asked === undefined ? isBoundByMoney : maxOutputTokens < asked;
  if (isLowered) headers['x-svc-max-tokens'] = String(maxOutputTokens);
  setList(headers, 'x-svc-dropped', lostOf(told));
  setList(headers, 'x-svc-translated', told.carrier.reworded);
  return headers;
}

const NOTHING: readonly string[] = [];

function lostOf({ carrier, fields, lost: lostOfAnswer = NOTHING }: Told): string[] {
  const { maxOutputTokens, thinkingBudget, withoutSealed } = fields;
  const lost = carrier.dropped.concat(carrier.droppedAt?.(maxOutputTokens) ?? NOTHING, lostOfAnswer);
  if (thinkingBudget !== undefined) lost.push(THINKING_BUDGET);
  if (withoutSealed) lost.push('encrypted_content');
  return lost;
}

/** Names come from the client's own body: what no header can hold is told without it. */
function setList(headers: Record<string, string>, name: string, values: readonly string[]): void {
  if (values.length === 0) return;
  const shown = values.map((value) => value.replace(/[^\w.:[\]-]/g, '?').slice(0, MAX_NAME_CHARS));
  headers[name] = [...new Set(shown)].slice(0, MAX_NAMES).join(',');
}

const MAX_NAMES = 50;
const MAX_NAME_CHARS = 64;

export function addCost(headers: Record<string, string>, { cost, balance }: Settled): void {
  headers['x-svc-cost-ntd'] = formatNtd(cost);
  headers['x-svc-balance-ntd'] = formatNtd(balance);
}
