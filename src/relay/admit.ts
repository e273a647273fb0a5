// Admission: checks the prompt, the limits and the money of a call. It takes the limit slots and the hold in one operation, or
// returns a fault and takes nothing. Faults are returned and not thrown, because a flood of refused calls must cost little.

import type { PresentedKey } from '../accounts/keys/authenticator.ts';
import { isWithin, nearestWithin, type Period } from '../catalog/schedule.ts';
import { clientLeft, Fault, fault } from '../faults/fault.ts';
import { admissionFault } from '../limits/admission-fault.ts';
import type { Refused } from '../limits/recent-refusals.ts';
import type { AdmitResult } from '../store/operations.ts';
import type { KeyChain, Loss } from '../store/rows.ts';
import { admitInput, fullHold, wantedTokens } from './admit-input.ts';
import type { Admission, Call, RelayTools } from './call.ts';
import { candidateModels } from './candidate-models.ts';
import { checkContext } from './check-context.ts';
import { mayUse, notAllowed } from './choose-model.ts';
import { findCarrier } from './find-carrier.ts';
import { requestedCost } from './requested-cost.ts';
import { limitOf, waitForCapacity, wakeNextWaiting } from './wait-for-capacity.ts';
import { checkQuote } from './within-quote.ts';

const MAX_REQUEST_MS = 20 * 60_000;
const NO_LOSSES: readonly Loss[] = [];

/** Tries again as long as a short wait may free a slot or money. */
export async function admit(tools: RelayTools, call: Call): Promise<Admission | Fault> {
  const { clock, refusals, ledger } = tools;
  const startedAt = clock.monotonic();
  const refused = checkCall(tools, call);
  if (refused) return refused;
  for (;;) {
    // The key may have been revoked or restricted since the last round.
    const key = await tools.keys.revalidate(call.key);
    const keyRefused = key === call.key ? undefined : changeKey(call, key);
    if (keyRefused) return keyRefused;
    const limit = limitOf(call, clock.now());
    let chain: KeyChain | undefined;
    let result: AdmitResult | undefined = refusals.find(limit);
    if (!result) {
      const input = admitInput(tools, call, limit.at);
      chain = input.chain;
      result = await ledger.admit(input);
    }
    if (result.ok) {
      wakeNextWaiting(tools, call.key);
      return admission(call, chain, { startedAt, pricedAt: pricedAt(call.catalog, limit.at) }, result);
    }
    refusals.note(limit, result);
    if (result.reason === 'account_unknown') tools.forgetKeys();
    const waiting = waitForCapacity(tools, call, result, clock.monotonic() - startedAt);
    if (!waiting) return refusal(result, call, clock.now());
    call.work.stopCounting();
    try {
      await waiting;
    } catch {
      return clientLeft();
    }
  }
}

/** The checks before limits and money. */
export function checkCall(tools: RelayTools, call: Call): Fault | undefined {
  const refused = checkContext(call) ?? checkBooks(tools, call);
  if (refused || call.quotedMost === undefined || call.model.free) return refused;
  return checkQuote(fullHold(call), call.quotedMost, call);
}

function checkBooks(tools: RelayTools, { model }: Call): Fault | undefined {
  if (model.free || !tools.isUnbalanced()) return undefined;
  return fault('unavailable', { internal: 'the books do not balance' });
}

/** The call continues with the current state of its key: its limits, and only the models that it still allows. */
function changeKey(call: Call, key: PresentedKey | undefined): Fault | undefined {
  if (!key) return fault('invalid_api_key');
  const [named, ...fallbacks] = call.models;
  const refused = notAllowed(key, named);
  if (refused) return refused;
  call.key = key;
  call.models = [named, ...fallbacks.filter((model) => mayUse(key, model))];
  call.candidates = candidateModels(call.models, call.request, call.isStrict);
  const carrier = findCarrier(call.candidates, call);
  return checkContext(call) ?? (carrier instanceof Fault ? carrier : undefined);
}

/** The time whose prices a receipt shows, if a scheduled change came after the quote or during the wait; otherwise null. */
function pricedAt(period: Period, at: number): number | null {
  return isWithin(period, at) ? null : nearestWithin(period, at);
}

type Granted = Extract<AdmitResult, { ok: true }>;

function admission(
  call: Call,
  chain: KeyChain | undefined,
  times: Pick<Admission, 'startedAt' | 'pricedAt'>,
  { held, granted, allowance, tokenAllowance, takenTokens = 0, nearBudgets }: Granted,
): Admission {
  const wanted = wantedTokens(call);
  return {
    call,
    chain,
    ...times,
    deadline: times.startedAt + MAX_REQUEST_MS,
    held,
    maxOutputTokens: Math.min(granted, wanted),
    isBoundByMoney: granted < wanted,
    allowance,
    tokenAllowance,
    takenTokens,
    nearBudgets,
    fetchedBytes: 0,
    attempts: [],
    losses: NO_LOSSES,
  };
}

/** The fault of a call that the store refused. */
export function refusal(refused: Refused, call: Call, now: number): Fault {
  return admissionFault(refused, now, call.dialect.envelope, () => requestedCost(call));
}
