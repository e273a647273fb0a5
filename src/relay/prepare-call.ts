// Prepares an incoming call for admission: chooses its models, reads its body, and finds how it can be sent. Refusals are thrown:
// no slot and no money was taken.

import { type Model, tokenBounds } from '../catalog/catalog.ts';
import type { Carrier } from '../dialects/carrier.ts';
import { readAhead } from '../dialects/carry.ts';
import { type Dialect, passesThrough } from '../dialects/dialect.ts';
import type { UnparsedFields } from '../dialects/fields.ts';
import { readModel } from '../dialects/fields.ts';
import { Fault } from '../faults/fault.ts';
import type { Call, EarlyCall, IncomingCall } from './call.ts';
import { candidateModels, chooseModel, modelsFor } from './choose-model.ts';
import { Carriers, findCarrier, requireRoute, requireThinkingFits } from './find-carrier.ts';
import { keepReadableRoutes, preferRoutes } from './prefer-routes.ts';
import { requireReadable } from './upstream-fields.ts';
import { knownRefusal } from './wait-for-capacity.ts';

/**
 * Refuses a large call by its key and model before its body is parsed. The same is checked again afterwards. Throws the fault
 * for the client.
 */
export function refuseEarly(call: EarlyCall, fields: UnparsedFields): void {
  const { catalog, key, kind, dialect } = call;
  const model = chooseModel(catalog, key, readModel(fields), kind);
  if (!fields.listsModels) requireRoute(modelsFor(model, { ...call, routing: undefined }), dialect);
  if (fields.asksNoOutput) return;
  const refused = knownRefusal({ ...call, model });
  if (refused) throw refused;
}

/** Throws the fault for the client, in the order of the contract: the model, its routes, the body, how it is carried. */
export function prepareCall(incoming: IncomingCall): Call {
  const call = readCall(incoming);
  requireCarrier(call);
  return call;
}

interface Steps {
  /** Yields to other requests; throws if the client has left. */
  step(): Promise<void>;
}

/** The same in steps, with other requests served in between. */
export async function prepareLargeCall(incoming: IncomingCall, steps: Steps): Promise<Call> {
  const call = readCall(incoming);
  await steps.step();
  readFirstAhead(call);
  await steps.step();
  requireCarrier(call);
  await steps.step();
  return call;
}

/** The whole answer to a call that only warms a cache which its upstream does not have; undefined for other calls. */
export function emptyAnswer(call: Call): string | undefined {
  return call.request.maxOutputTokens === 0 ? requireCarrier(call).emptyAnswer?.() : undefined;
}

function readCall(incoming: IncomingCall): Call {
  const { tools, requestId, key, dialect, headers, isStrict, document, form, kind, catalog, routing } = incoming;
  const id = readModel(document);
  const chosen = chooseModel(catalog, key, id, kind);
  if (chosen.free) incoming.capacity.becomeFree();
  const usable = modelsFor(chosen, incoming);
  requireRoute(usable, dialect);
  const request = dialect.request.read(document, form);
  const preferred = routing ? preferRoutes(usable, routing, incoming, request) : usable;
  const models = incoming.vendorItems.length > 0 ? keepReadableRoutes(preferred, incoming) : preferred;
  const [model] = models;
  const named = catalog.retired.get(id) ?? models.find((one) => one.id === chosen.id) ?? chosen;
  if (hasSameFormat(models, dialect)) requireReadable(request, tokenBounds(model, catalog).output);
  if (isStrict) requireThinkingFits(model, catalog, request);
  const carriers = new Carriers({
    dialect,
    request,
    headers,
    requestId,
    createdAt: Math.floor(tools.clock.now() / 1000),
    hashUser: tools.hashUser,
    isStrict,
    isFree: model.free,
  });
  const candidates = candidateModels(models, request, isStrict);
  return {
    ...incoming,
    named,
    model,
    models,
    candidates,
    request,
    carriers,
    freeAddress: undefined,
    wasAdmitted: false,
  };
}

/** Only such a route can return log probabilities. */
function hasSameFormat(models: readonly Model[], dialect: Dialect): boolean {
  for (const { routes } of models) {
    for (const { endpoints } of routes) if (passesThrough(dialect, endpoints)) return true;
  }
  return false;
}

/** If the prompt is too long for all models, admission refuses the call. */
function carriedModels({ candidates, models }: Call): readonly Model[] {
  return candidates.length > 0 ? candidates : models;
}

function requireCarrier(call: Call): Carrier {
  const carrier = findCarrier(carriedModels(call), call);
  if (carrier instanceof Fault) throw carrier;
  return carrier;
}

/** A fault is ignored here: `requireCarrier` throws it if no other route can carry the call. */
function readFirstAhead(call: Call): void {
  const [route] = carriedModels(call)[0]?.routes ?? [];
  try {
    if (route) readAhead(call.dialect, call.request, route);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
  }
}
