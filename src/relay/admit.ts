// Admission: does the prompt fit, is there a slot, is there money. It ends with slots and hold taken together, durable,
// or with a fault and nothing taken. Short waits are ours to make: for a free slot, or for money that running calls hold.

import type { PresentedKey } from '../accounts/keys/authenticator.ts';
import type { Catalog, Model } from '../catalog/catalog.ts';
import { FREE_MODEL } from '../catalog/document.ts';
import { tokenBounds } from '../catalog/token-bounds.ts';
import type { Dialect, RelayRequest } from '../dialects/dialect.ts';
import { broughtTokens } from '../dialects/input/tool-use.ts';
import { upperAt } from '../dialects/input/upper-at.ts';
import { clientLeft, type Fault, fault } from '../faults/fault.ts';
import { tooLongText } from '../faults/too-long-text.ts';
import { sleep } from '../kit/clock.ts';
import type { JsonObject } from '../kit/json/json.ts';
import { placeIn } from '../kit/json/place-in.ts';
import { holdFor } from '../ledger/cost.ts';
import { admissionFault } from '../limits/admission-fault.ts';
import type { Refused, RefusedCall } from '../limits/recent-refusals.ts';
import { TURN_MS } from '../limits/turns.ts';
import type { AddressLimit, AdmitInput } from '../store/operations.ts';
import type { Admission, Call, RelayTools } from './call.ts';
import { candidateModels, hasRoom, type Models } from './candidate-models.ts';
import { mayUse, requireAllowed } from './choose-model.ts';
import { requireCarrier } from './find-carrier.ts';

const MAX_WAIT_MS = 3_000;
const MAX_REQUEST_MS = 20 * 60_000;

/**
 * What the books refuse is returned, all else is thrown: a flood of calls over a limit need not unwind the stack each time.
 * A refusal that still stands is told without a wait.
 */
export function admit(tools: RelayTools, call: Call): Fault | Promise<Admission | Fault> {
  checkContext(call);
  if (tools.isUnbalanced() && !call.model.free) throw fault('unavailable', { internal: 'the books do not balance' });
  const key = findAgain(tools, call);
  return (key === call.key ? standingRefusal(tools, call) : undefined) ?? admitInRounds(tools, call, key);
}

type StandingCall = Pick<Call, 'key' | 'model' | 'catalog' | 'dialect' | 'noWait'>;

/** Undefined also if a wait may end it. */
export function standingRefusal(tools: Pick<RelayTools, 'clock' | 'refusals'>, call: StandingCall): Fault | undefined {
  const now = tools.clock.now();
  const refused = tools.refusals.find(askedAt(call, now));
  if (!refused || waitFor(refused, call, 0, now) !== undefined) return undefined;
  return admissionFault(refused, now, call.dialect.envelope, NO_WISH);
}

/** None but limits are remembered as standing, and what was asked for decides nothing of these. */
const NO_WISH = { boundName: undefined, images: 0, thinkingBudget: undefined, hasFreeModel: false };

async function admitInRounds(tools: RelayTools, asking: Call, first: FoundKey): Promise<Admission | Fault> {
  let call = asking;
  let found = first;
  const startedAt = tools.clock.monotonic();
  for (;;) {
    const key = found instanceof Promise ? await found : found;
    if (!key) throw fault('invalid_api_key');
    if (key !== call.key) {
      call = withKey(call, key);
      checkContext(call);
      requireCarrier(call.candidates, call.dialect, call.carriers);
    }
    const asked = askedAt(call, tools.clock.now());
    const result = tools.refusals.find(asked) ?? (await tools.ledger.admit(admitInput(tools, call, asked.at)));
    if (result.ok) {
      const wanted = wantedTokens(call);
      handOnTurn(tools, call.key);
      return {
        call,
        startedAt,
        deadline: startedAt + MAX_REQUEST_MS,
        held: result.held,
        maxOutputTokens: Math.min(result.granted, wanted),
        isBoundByMoney: result.granted < wanted,
        allowance: result.allowance,
        fetchedBytes: 0,
        attempts: [],
        losses: [],
      };
    }
    tools.refusals.note(asked, result);
    if (result.reason === 'account_unknown') tools.forgetKeys();
    const waited = tools.clock.monotonic() - startedAt;
    const waitMs = waitFor(result, call, waited, tools.clock.now());
    if (waitMs === undefined) return refusal(result, call, tools.clock.now());
    const waiting = isHeld(result)
      ? tools.turns.wait(waitedFor(result, call.key), MAX_WAIT_MS - waited, call.gone)
      : sleep(tools.clock, waitMs, call.gone);
    call.work.stopCounting();
    await waiting.catch(() => {
      throw clientLeft();
    });
    found = findAgain(tools, call);
  }
}

function askedAt({ key, model, catalog }: Pick<Call, 'key' | 'model' | 'catalog'>, at: number): RefusedCall {
  return { accountId: key.accountId, isFree: model.free, revision: catalog.revision, at };
}

function refusal(refused: Refused, call: Call, now: number): Fault {
  const { boundName, images, thinkingBudget } = call.request;
  const wish = { boundName, images, thinkingBudget, hasFreeModel: hasFreeModel(call) };
  return admissionFault(refused, now, call.dialect.envelope, wish);
}

type FoundKey = ReturnType<RelayTools['keys']['again']>;

/** In every round: a key that was revoked or restricted since the last one admits nothing as it was. */
function findAgain({ keys }: RelayTools, { key, connection }: Call): FoundKey {
  const found = keys.again(key);
  // Who hangs up before the key is found to be bad counts as well.
  if (found instanceof Promise) connection.peer();
  return found;
}

/** The same call under its key as that is by now: with its budget, and with none but the models that it still allows. */
function withKey(call: Call, key: PresentedKey): Call {
  const [named, ...fallbacks] = call.models;
  requireAllowed(key, named);
  const models: Models = [named, ...fallbacks.filter((model) => mayUse(key, model))];
  return { ...call, key, models, candidates: candidateModels(models, call.request, call.isStrict) };
}

function hasFreeModel({ catalog, key }: Call): boolean {
  const model = catalog.find(FREE_MODEL);
  return model?.free === true && mayUse(key, model);
}

function checkContext(call: Call): void {
  const { request, model, models, catalog, dialect, isStrict } = call;
  const { input } = request;
  if (call.candidates.length === 0) {
    // What is surely too much decides. What is told is our best guess, by which clients know how much to leave out.
    const { estimate, lower } = input.longest ?? input;
    const most = models
      .filter((one) => hasRoom(one, models, request, isStrict))
      .map((one) => tokenBounds(one, catalog).input);
    throw tooLong(dialect, Math.max(estimate, lower), Math.max(...most));
  }
  // Of several prompts in one request it bounds the sum, which may be more than a context.
  const freeMost = model.free ? catalog.guards.free_input_tokens : null;
  if (freeMost === null) return;
  // No estimate is above the upper bound, which is known already.
  if (input.upper > freeMost && input.estimate > freeMost) throw tooLong(dialect, input.estimate, freeMost);
  if (input.unseen) throw unseenInput(request, input.unseen, freeMost);
}

/** A free call has no hold, so nothing would bound input whose size is unknown. */
function unseenInput({ document }: RelayRequest, part: JsonObject, most: number) {
  const place = placeIn(document.value, part) ?? '';
  const message = `The size of ${place} cannot be determined from the request, and a free request may have at most ${most} tokens of input. Send it as text, as a PNG, JPEG, GIF or WebP image, or as uncompressed WAV audio, or use a paid model.`;
  return fault('invalid_request', { param: place, message });
}

function tooLong({ promptField }: Dialect, tokens: number, most: number) {
  return fault('context_length_exceeded', { param: promptField, message: tooLongText(tokens, most) });
}

function wantedTokens({ request, model, catalog }: Call): number {
  const most = Math.min(model.maxOutputTokens, freeShare(request, model, catalog));
  return Math.min(request.maxOutputTokens ?? most, most);
}

/** What a guard leaves each answer of a free request, of which it bounds all together: there is no hold to pay for more. */
function freeShare({ choices }: RelayRequest, { free }: Model, { guards }: Catalog): number {
  const together = free ? guards.free_output_tokens : null;
  return together === null ? Number.POSITIVE_INFINITY : Math.max(1, Math.floor(together / choices));
}

function admitInput(tools: RelayTools, call: Call, at: number): AdmitInput {
  const { model, request, catalog, key } = call;
  return {
    requestId: call.requestId,
    accountId: key.accountId,
    keyId: key.keyId,
    nodeId: tools.nodeId,
    at,
    model: model.id,
    endpoint: call.endpoint,
    stream: request.stream,
    revision: catalog.revision,
    budget: key.dailyBudget,
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

function paidCharge(call: Call): AdmitInput['charge'] {
  const { limits } = call.catalog;
  return {
    free: false,
    hold: holdFor(call, inputBound(call), wantedTokens(call)),
    limits: { perMinute: limits.paid_per_minute, inFlight: limits.in_flight },
  };
}

/**
 * A prompt is at most the largest candidate's context, which is also the bound of parts whose size is unknown. Tools of the
 * upstream may take more than a context together, because each use of one is billed with all that came before it.
 */
function inputBound({ request: { input }, model, candidates, dialect }: Call): number {
  if (input.longest) return input.upper;
  let context = model.contextTokens;
  let { upper } = input;
  let runsTools = false;
  for (const { contextTokens, routes } of candidates) {
    context = Math.max(context, contextTokens);
    for (const route of routes) {
      const isTranslated = !route.channel.endpoints.includes(dialect.endpoint);
      upper = Math.max(upper, upperAt(input, route.model, isTranslated));
      // A translation leaves these tools behind.
      if (!isTranslated) runsTools = input.toolUse.tokens > 0;
    }
  }
  const prompt = input.isOpen ? context : Math.min(upper, context);
  return runsTools ? prompt + broughtTokens(input.toolUse, prompt, context) : prompt;
}

function addressLimit({ freeAddress, catalog }: Call): AddressLimit | undefined {
  const perDay = catalog.guards.free_per_address_day;
  return freeAddress === undefined || perDay === null ? undefined : { address: freeAddress, perDay };
}

/** The least that must be waited before another try; undefined if waiting cannot help, or would take too long. */
function waitFor(refused: Refused, call: Pick<Call, 'noWait'>, waited: number, now: number): number | undefined {
  const ms = isHeld(refused) ? TURN_MS : untilReset(refused, call, now);
  return waited + ms > MAX_WAIT_MS ? undefined : ms;
}

/** Infinite if no reset helps. */
function untilReset(refused: Refused, { noWait }: Pick<Call, 'noWait'>, now: number): number {
  if (refused.reason !== 'free_minute_limit' || noWait || refused.allowance.limit === 0)
    return Number.POSITIVE_INFINITY;
  return Math.max(1, refused.allowance.resetsAt - now);
}

/** Money of an account is waited for by its calls, that of a key's budget by those of the key. */
function waitedFor({ reason }: Refused, { accountId, keyId }: PresentedKey): string {
  return reason === 'budget_in_use' ? keyId : accountId;
}

function handOnTurn({ turns }: RelayTools, { accountId, keyId }: PresentedKey): void {
  turns.handOn(accountId);
  turns.handOn(keyId);
}

/** The money is there, but running calls hold it. */
function isHeld({ reason }: Refused): boolean {
  return reason === 'balance_in_use' || reason === 'budget_in_use';
}
