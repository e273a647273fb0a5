// Admission: checks the prompt, the limits and the money of a call. It takes the limit slots and the hold in one operation, or
// returns a fault and takes nothing. Faults are returned and not thrown, because a flood of refused calls must cost little.

import type { PresentedKey } from '../accounts/keys/authenticator.ts';
import { FREE_MODEL } from '../catalog/document.ts';
import { isWithin, nearestWithin, type Period } from '../catalog/schedule.ts';
import { isSessionName, SESSION_HEADER } from '../dialects/conversation.ts';
import { clientLeft, Fault, fault } from '../faults/fault.ts';
import type { Nano } from '../kit/money.ts';
import { admissionFault } from '../limits/admission-fault.ts';
import type { Refused } from '../limits/recent-refusals.ts';
import type { RequestedCost } from '../limits/smaller-request.ts';
import type { AdmitResult } from '../store/operations.ts';
import type { KeyChain, Loss } from '../store/rows.ts';
import { admitInput, feesInHold, fullHold, inputBound, inputBounds, wantedTokens } from './admit-input.ts';
import type { Admission, Call } from './call.ts';
import { checkCall, checkContext } from './check-call.ts';
import { candidateModels, mayUse, notAllowed } from './choose-model.ts';
import { findCarrier } from './find-carrier.ts';
import { limitOf, waitForCapacity, wakeNextWaiting } from './wait-for-capacity.ts';

const MAX_REQUEST_MS = 20 * 60_000;
const NO_LOSSES: readonly Loss[] = [];

/** Tries again as long as a short wait may free a slot or money. */
export async function admit(call: Call): Promise<Admission | Fault> {
  const { tools } = call;
  const { clock, refusals, ledger } = tools;
  const startedAt = clock.monotonic();
  const refused = checkCall(call);
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
      const input = admitInput(call, limit.at);
      chain = input.chain;
      result = await ledger.admit(input);
    }
    if (result.ok) {
      wakeNextWaiting(call);
      return admission(call, chain, { startedAt, pricedAt: pricedAt(call.catalog, limit.at) }, result);
    }
    refusals.note(limit, result);
    if (result.reason === 'account_unknown') tools.forgetKeys();
    const waiting = waitForCapacity(call, result, clock.monotonic() - startedAt);
    if (!waiting) return refusal(result, call, clock.now());
    call.work.stopCounting();
    try {
      await waiting;
    } catch {
      return clientLeft();
    }
  }
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
function refusal(refused: Refused, call: Call, now: number): Fault {
  return admissionFault(refused, now, call.dialect.envelope, () => requestedCost(call));
}

/** The cost of a refused call, for the text of its fault. */
function requestedCost(call: Call): RequestedCost {
  const { model, endpoint, dialect, request, key } = call;
  const { boundName, choices, images, thinkingBudget, input } = request;
  const { prompt, addedByTools } = inputBounds(call);
  return {
    endpoint,
    model: model.id,
    promptField: dialect.request.promptField,
    headers: sessionHeader(call),
    boundName,
    choices,
    images,
    units: unitsIn(request),
    thinkingBudget,
    hold: fullHold(call),
    fees: feesInHold(call),
    promptTokens: prompt,
    addedByTools,
    mayShorten: !input.isOpen,
    isBounded: request.maxOutputTokens !== undefined,
    freeModel: freeModelOf(call),
    keys: [key, ...key.ancestors],
  };
}

/** Other counted units than tokens and images, in words. */
function unitsIn({ seconds = 0, characters = 0, searches = 0 }: Call['request']): string[] {
  const named = Object.entries({ second: seconds, character: characters, search: searches });
  return named.flatMap(([unit, count]) => (count > 0 ? [`${count} ${count === 1 ? unit : PLURALS[unit]}`] : []));
}

const PLURALS: Readonly<Record<string, string>> = { second: 'seconds', character: 'characters', search: 'searches' };

/** The session header, if a key has a budget for each session: every format accepts this header. */
function sessionHeader({ conversationName: name, key }: Call): RequestedCost['headers'] {
  const isCounted = [key, ...key.ancestors].some(({ limits }) => limits.sessionBudget !== undefined);
  return isCounted && name !== undefined && isSessionName(name) ? { [SESSION_HEADER]: name } : undefined;
}

function freeModelOf({ catalog, key }: Call): string | undefined {
  const model = catalog.find(FREE_MODEL);
  return model?.free === true && mayUse(key, model) ? model.id : undefined;
}

export interface Preview {
  /** The hold of an admission; for a refused call, the hold if there were enough money. */
  most: Nano;
  inputTokens: number;
  /** For all choices together. */
  outputTokens: number;
  refused: Fault | undefined;
}

/** Computes the maximum cost or the fault that a call would have now. Reserves nothing and calls no upstream. */
export async function previewCall(call: Call): Promise<Preview> {
  const { clock, ledger } = call.tools;
  const at = clock.now();
  const refused = checkCall(call);
  const result = refused ? undefined : await ledger.previewAdmit(admitInput(call, at));
  const { choices } = call.request;
  const inputTokens = inputBound(call);
  const wanted = wantedTokens(call);
  if (result?.ok) {
    const outputTokens = Math.min(result.granted, wanted) * choices;
    return { most: result.held, inputTokens, outputTokens, refused: undefined };
  }
  const hold = fullHold(call);
  return {
    most: call.model.free ? 0n : hold.base + hold.unit * BigInt(hold.wanted),
    inputTokens,
    outputTokens: wanted * choices,
    refused: refused ?? (result && refusal(result, call, at)),
  };
}
