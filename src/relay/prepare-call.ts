// From a call as it came to one that may be admitted: which models may answer it, what it asks for, and how it can be sent to
// one of them. A refusal here is thrown; neither a slot nor money was taken.

import type { Model } from '../catalog/catalog.ts';
import { tokenBounds } from '../catalog/token-bounds.ts';
import type { Carrier } from '../dialects/carrier.ts';
import { readAhead } from '../dialects/carry.ts';
import type { Dialect } from '../dialects/dialect.ts';
import { readModel } from '../dialects/fields.ts';
import { Fault } from '../faults/fault.ts';
import type { Call, IncomingCall, RelayTools } from './call.ts';
import { candidateModels, modelsFor } from './candidate-models.ts';
import { chooseModel } from './choose-model.ts';
import { Carriers, findCarrier, requireRoomToThink, requireRoute } from './find-carrier.ts';
import { requireReadable } from './readable-answer.ts';

type PrepareTools = Pick<RelayTools, 'clock' | 'hashUser'>;

/** Throws the fault for the client, in the order of the contract: the model, its routes, the body, how it is carried. */
export function prepareCall(tools: PrepareTools, incoming: IncomingCall): Call {
  const call = readCall(tools, incoming);
  requireCarrier(call);
  return call;
}

interface Steps {
  /** Yields to other requests; throws if the client has left. */
  step(): Promise<void>;
}

/** The same in steps, between which other requests run. */
export async function prepareLargeCall(tools: PrepareTools, incoming: IncomingCall, steps: Steps): Promise<Call> {
  const call = readCall(tools, incoming);
  await steps.step();
  readFirstAhead(call);
  await steps.step();
  requireCarrier(call);
  await steps.step();
  return call;
}

/** Set if the call only asks to warm a cache that the upstream does not have: this is all there is to answer. */
export function emptyAnswer(call: Call): string | undefined {
  return call.request.maxOutputTokens === 0 ? requireCarrier(call).emptyAnswer?.() : undefined;
}

function readCall(tools: PrepareTools, incoming: IncomingCall): Call {
  const { requestId, key, dialect, headers, isStrict, document, kind, catalog } = incoming;
  const id = readModel(document);
  const model = chooseModel(catalog, key, id, kind);
  const named = catalog.retired.get(id) ?? model;
  if (model.free) incoming.capacity.becomeFree();
  const models = modelsFor(model, incoming);
  requireRoute(models, dialect);
  const request = dialect.readRequest(document);
  if (hasSameFormat(models, dialect)) requireReadable(request, tokenBounds(model, catalog).output);
  if (isStrict) requireRoomToThink(model, catalog, request);
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
  return { ...incoming, named, model, models, candidates, request, carriers, freeAddress: undefined };
}

/** A translation carries no log probabilities. */
function hasSameFormat(models: readonly Model[], { endpoint }: Dialect): boolean {
  for (const { routes } of models) {
    for (const { channel } of routes) if (channel.endpoints.includes(endpoint)) return true;
  }
  return false;
}

/** If the prompt is too long for all of them, the admission refuses it. */
function carriedModels({ candidates, models }: Call): readonly Model[] {
  return candidates.length > 0 ? candidates : models;
}

function requireCarrier(call: Call): Carrier {
  const carrier = findCarrier(carriedModels(call), call);
  if (carrier instanceof Fault) throw carrier;
  return carrier;
}

/** Its fault is thrown where the call is carried, unless another route can carry it. */
function readFirstAhead(call: Call): void {
  const [route] = carriedModels(call)[0]?.routes ?? [];
  try {
    if (route) readAhead(call.dialect, call.request, route);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
  }
}
