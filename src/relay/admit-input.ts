// Builds the admission of a call: the limit slots, and for a paid call the most that it can cost.

import type { PresentedKey } from '../accounts/keys/authenticator.ts';
import type { Catalog, Model } from '../catalog/catalog.ts';
import { unboundedOutput } from '../dialects/carry.ts';
import { passesRequest, passesThrough, type RelayRequest } from '../dialects/dialect.ts';
import { upperAt } from '../dialects/input/estimated-input.ts';
import { allUses, tokensAddedByTools } from '../dialects/input/tool-use.ts';
import type { Nano } from '../kit/money.ts';
import { type HoldTerms, holdFor, isUncut } from '../ledger/cost.ts';
import { sessionPage } from '../store/book/budgets.ts';
import { hasRates } from '../store/key-limits.ts';
import type { AddressLimit, AdmitInput, HoldRequest, TokenRequest } from '../store/operations.ts';
import type { KeyChain } from '../store/rows.ts';
import type { Call } from './call.ts';

export function admitInput(call: Call, at: number): AdmitInput {
  const { tools, model, request, catalog, key, conversationName } = call;
  const { nodeId, hashSession } = tools;
  // Calls without a name are one session.
  const session = () => (conversationName === undefined ? '' : hashSession(conversationName));
  const chain = chainOf(key, model.free, session);
  return {
    requestId: call.requestId,
    accountId: key.accountId,
    keyId: key.keyId,
    nodeId,
    at,
    model: model.id,
    endpoint: call.endpoint,
    stream: request.stream,
    revision: catalog.revision,
    chain,
    tokens: chain && chain.rated.length > 0 ? tokenRequest(call) : undefined,
    charge: model.free ? freeCharge(call) : paidCharge(call),
  };
}

function freeCharge(call: Call): AdmitInput['charge'] {
  const { limits, guards } = call.catalog;
  return {
    free: true,
    limits: {
      perMinute: limits.free_per_minute,
      perDayZero: limits.free_per_day_zero,
      perDayPositive: limits.free_per_day_positive,
      inFlight: guards.free_in_flight ?? Number.MAX_SAFE_INTEGER,
      perAddress: addressLimit(call),
    },
  };
}

function addressLimit({ freeAddress, catalog }: Call): AddressLimit | undefined {
  const perDay = catalog.guards.free_per_address_day;
  return freeAddress === undefined || perDay === null ? undefined : { address: freeAddress, perDay };
}

function paidCharge(call: Call): AdmitInput['charge'] {
  const { catalog, quotedMost } = call;
  const { limits } = catalog;
  const hold = fullHold(call);
  return {
    free: false,
    hold: quotedMost === undefined ? hold : holdWithinQuote(hold, quotedMost),
    limits: { perMinute: limits.paid_per_minute, inFlight: limits.in_flight },
  };
}

/** The output is shortened to what the quote pays for, even if the key, the fallbacks or their routes have changed. */
function holdWithinQuote(hold: HoldRequest, most: Nano): HoldRequest {
  const { base, unit, wanted } = hold;
  if (base + unit * BigInt(wanted) <= most) return hold;
  return { ...hold, wanted: Number((most - base) / unit) };
}

/** The same as `paidCharge`, in tokens. */
function tokenRequest(call: Call): TokenRequest {
  const input = inputBound(call);
  const { wanted, least } = holdFor(call, input, wantedTokens(call));
  return { input, perOutput: call.request.choices, wanted, least };
}

/** The most that the call can cost, whatever the account can pay. */
export function fullHold(call: Call): HoldRequest {
  return holdFor(call, inputBound(call), wantedTokens(call), { calls: callsBound(call) });
}

/** The part of `fullHold` for fees of the upstream's tools, without their tokens. */
export function feesInHold(call: Call): Nano {
  return fullHold(call).base - holdFor(call, inputBound(call), wantedTokens(call)).base;
}

/** The output bound as far as the client and the model decide it. */
export function wantedTokens(call: Call): number {
  const { request, model, catalog } = call;
  const most = Math.min(modelBound(call), freeShare(request, model, catalog));
  return Math.min(request.maxOutputTokens ?? most, most);
}

/**
 * Text ends at the output bound of the first model, whichever model answers, unless a route takes no bound. Output that
 * cannot be cut short is as long as any of the models allows.
 */
function modelBound({ dialect, request, model, candidates }: Call): number {
  if (!isUncut(request)) {
    return Math.max(model.maxOutputTokens, ...model.routes.map((route) => unboundedOutput(dialect, route) ?? 0));
  }
  return Math.max(model.maxOutputTokens, ...candidates.map(({ maxOutputTokens }) => maxOutputTokens));
}

/** A free request has no hold: a guard bounds the output of all its choices together, and each gets its share. */
function freeShare({ choices }: RelayRequest, { free }: Model, { guards }: Catalog): number {
  const together = free ? guards.free_output_tokens : null;
  return together === null ? Number.POSITIVE_INFINITY : Math.max(1, Math.floor(together / choices));
}

/** How often tools of the upstream may be called; undefined if none has a price or no route gets them. */
function callsBound({ request, candidates, dialect }: Call): HoldTerms['calls'] {
  const { toolUse } = request.input;
  if (!toolUse.calls) return undefined;
  // A translation removes these tools.
  const isReached = candidates.some(({ routes }) => routes.some(({ endpoints }) => passesThrough(dialect, endpoints)));
  return isReached ? { byTool: toolUse.calls, most: allUses(toolUse) } : undefined;
}

/**
 * A prompt is at most as long as the largest context of the candidates, which also bounds parts of unknown size. Tools of the
 * upstream may add more than a context, because each use is billed with everything before it.
 */
export function inputBound(call: Call): number {
  const { prompt, addedByTools } = inputBounds(call);
  return prompt + addedByTools;
}

/** `addedByTools`: the input that tools of the upstream add. */
export function inputBounds({ request, model, candidates, dialect }: Call) {
  const { input } = request;
  if (input.longest) return { prompt: input.upper, addedByTools: 0 };
  let context = model.contextTokens;
  let { upper } = input;
  let runsTools = false;
  for (const { contextTokens, routes, prices } of candidates) {
    context = Math.max(context, contextTokens);
    for (const route of routes) {
      const isTranslated = !passesRequest(dialect, request, route, prices.rules?.tools);
      upper = Math.max(upper, upperAt(input, route.model, isTranslated));
      // A translation removes these tools.
      if (!isTranslated) runsTools = input.toolUse.tokens > 0;
    }
  }
  const prompt = input.isOpen ? context : Math.min(upper, context);
  return { prompt, addedByTools: runsTools ? tokensAddedByTools(input.toolUse, prompt, context) : 0 };
}

type ChainedKey = Pick<PresentedKey, 'keyId' | 'limits' | 'ancestors'>;

/**
 * The counters of a call beyond its account and its own key: the key's ancestors, its session, and rates. Undefined for most calls.
 * `session`: the keyed hash of its name, computed only if a key has a session budget.
 */
export function chainOf(key: ChainedKey, isFree: boolean, session: () => string): KeyChain | undefined {
  if (key.ancestors.length === 0 && !isChained(key)) return undefined;
  const keys = [key, ...key.ancestors];
  const rated = keys.filter(({ limits }) => hasRates(limits)).map(({ keyId }) => keyId);
  // Free calls count for rates alone.
  if (isFree && rated.length === 0) return undefined;
  const withSession = isFree ? [] : keys.filter(({ limits }) => limits.sessionBudget !== undefined);
  const name = withSession.length > 0 ? session() : '';
  return {
    ancestors: key.ancestors.map(({ keyId }) => keyId),
    sessions: withSession.map(({ keyId }) => sessionPage(keyId, name)),
    rated,
  };
}

function isChained({ limits }: ChainedKey): boolean {
  return limits.sessionBudget !== undefined || hasRates(limits);
}
