// The headers that every model answer carries.

import type { Model } from '../catalog/catalog.ts';
import { THINKING_BUDGET } from '../dialects/dialect.ts';
import { formatNtd, type Nano } from '../kit/money.ts';
import { rateHeaders } from '../limits/rate-headers.ts';
import { isNearLimit } from '../store/book/budgets.ts';
import { tokensOf } from '../store/book/key-rates.ts';
import type { BudgetState } from '../store/operations.ts';
import type { Buckets } from '../store/rows.ts';
import type { Begun } from './begun.ts';
import type { Admission } from './call.ts';
import type { Settled } from './close.ts';
import type { Step } from './plan.ts';

/** `lost` is not known yet for a stream. */
type Reported = Pick<Begun, 'carrier' | 'fields'> & { lost?: readonly string[] };

export function answerHeaders(
  admission: Admission,
  { model, route }: Pick<Step, 'model' | 'route'>,
  begun: Reported,
): Record<string, string> {
  const { call, allowance, tokenAllowance, nearBudgets, held, isBoundByMoney } = admission;
  const { maxOutputTokens } = begun.fields;
  const { envelope } = call.dialect;
  const now = call.tools.clock.now();
  const headers = rateHeaders(allowance, now, envelope);
  if (tokenAllowance) Object.assign(headers, rateHeaders(tokenAllowance, now, envelope, 'tokens'));
  setBudgetWarning(headers, nearBudgets, { held });
  headers['x-svc-channel'] = route.channel.name;
  setRetirement(headers, call.named, model, call.tools.publicUrl);
  // Without it, a client that set no limit could not see that its balance shortened the answer.
  const { maxOutputTokens: asked } = call.request;
  const isLowered = asked === undefined ? isBoundByMoney : maxOutputTokens < asked;
  if (isLowered) headers['x-svc-max-tokens'] = String(maxOutputTokens);
  setList(headers, 'x-svc-dropped', lostOf(begun));
  setList(headers, 'x-svc-translated', begun.carrier.reworded);
  return headers;
}

/**
 * For a model that ends at a date (RFC 9745, RFC 8594), or that has ended and is replaced. `named`: the model that the client named; `served`: the
 * one that answers.
 */
export function setRetirement(headers: Record<string, string>, named: Model, served: Model, publicUrl: string): void {
  const { retirement } = named;
  if (!retirement) return;
  const { at, deprecatedAt, successor } = retirement;
  headers.deprecation = `@${Math.floor(deprecatedAt / 1000)}`;
  headers.sunset = new Date(at).toUTCString();
  if (successor !== undefined) headers.link = `<${publicUrl}/v1/models/${successor}>; rel="successor-version"`;
  if (named.id !== served.id) headers['x-svc-model'] = served.id;
}

const NOTHING: readonly string[] = [];

function lostOf({ carrier, fields, lost: lostOfAnswer = NOTHING }: Reported): string[] {
  const { maxOutputTokens, thinkingBudget, withoutSealed } = fields;
  const lost = carrier.dropped.concat(carrier.droppedAt?.(maxOutputTokens) ?? NOTHING, lostOfAnswer);
  if (thinkingBudget !== undefined) lost.push(THINKING_BUDGET);
  if (withoutSealed) lost.push(...(carrier.droppedUnsealed ?? NOTHING));
  return lost;
}

/** Names come from the client's body: characters that a header cannot hold are replaced. */
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

/** Replaces the amounts of the admission by those of the settlement. */
export function addSettled(
  headers: Record<string, string>,
  { nearBudgets, tokenAllowance, takenTokens, call }: Admission,
  settled: Settled,
  buckets: Buckets,
): void {
  addCost(headers, settled);
  setBudgetWarning(headers, nearBudgets, { cost: settled.cost });
  if (!tokenAllowance) return;
  const unused = takenTokens - tokensOf(buckets);
  const remaining = Math.min(Math.max(0, tokenAllowance.remaining + unused), tokenAllowance.limit);
  headers['x-ratelimit-remaining-tokens'] = String(remaining);
  if (call.dialect.envelope === 'anthropic') headers['anthropic-ratelimit-tokens-remaining'] = String(remaining);
}

const BUDGET_WARNING = 'x-svc-budget-warning';

/**
 * If budgets are used to 80 % or more, the header names the one with the highest share. The amounts are those of the admission, plus the
 * hold of this call or, once it is settled, its cost. `near`: the budgets that the hold brought to 80 %.
 */
export function setBudgetWarning(
  headers: Record<string, string>,
  near: readonly BudgetState[] | undefined,
  { cost = 0n, held = 0n }: { cost?: Nano; held?: Nano },
): void {
  if (!near) return;
  delete headers[BUDGET_WARNING];
  const [worst] = near
    .map((state) => ({ ...state, spent: state.spent + cost, held: state.held + held }))
    .filter((state) => isNearLimit(state))
    .sort((one, other) => Number(usedOf(other) * one.limit - usedOf(one) * other.limit));
  if (!worst) return;
  const amounts = `spent=${formatNtd(worst.spent)}; held=${formatNtd(worst.held)}; limit=${formatNtd(worst.limit)}`;
  headers[BUDGET_WARNING] = `${worst.budget}; key=${worst.keyId}; ${amounts}`;
}

function usedOf({ spent, held }: BudgetState): Nano {
  return spent + held;
}
