// From a body that was read to a call that may be admitted: which models may answer it, what it asks for, and how it can
// travel to one of them. What is refused here has taken neither a slot nor money.

import type { Catalog, Model } from '../catalog/catalog.ts';
import { tokenBounds } from '../catalog/token-bounds.ts';
import { readAhead } from '../dialects/carry.ts';
import type { Dialect } from '../dialects/dialect.ts';
import { readModel } from '../dialects/fields.ts';
import { Fault } from '../faults/fault.ts';
import type { JsonDocument } from '../kit/json/json.ts';
import type { ModelKind } from '../vendors/endpoints.ts';
import type { Call, RelayTools } from './call.ts';
import { candidateModels, modelsFor } from './candidate-models.ts';
import { chooseModel } from './choose-model.ts';
import { Carriers, requireCarrier, requireRoomToThink, requireRoute } from './find-carrier.ts';
import { requireReadable } from './readable-answer.ts';

export interface Asked extends Pick<Call, 'requestId' | 'key' | 'dialect' | 'headers' | 'isStrict' | 'room'> {
  document: JsonDocument;
  kind: ModelKind;
  catalog: Catalog;
}

export interface Prepared extends Pick<Call, 'model' | 'models' | 'candidates' | 'request' | 'carriers'> {
  /** Set if the call only asks to warm a cache that the upstream does not have: this is all there is to answer. */
  emptyAnswer: string | undefined;
}

/** A call whose body was read, and not yet how it is carried. */
interface Opened extends Omit<Prepared, 'emptyAnswer'> {
  dialect: Dialect;
}

/** Throws the fault for the client, in the order of the contract: the model, its routes, the body, how it is carried. */
export function prepareCall(tools: PrepareTools, asked: Asked): Prepared {
  return carryCall(openCall(tools, asked));
}

/** The same in steps, between which others have their turn. */
export async function prepareLargeCall(tools: PrepareTools, asked: Asked, steps: Steps): Promise<Prepared> {
  const opened = openCall(tools, asked);
  await steps.step();
  readFirstAhead(opened);
  await steps.step();
  const prepared = carryCall(opened);
  await steps.step();
  return prepared;
}

export interface Steps {
  /** Lets others have their turn; throws if there is no more to do. */
  step(): Promise<void>;
}

type PrepareTools = Pick<RelayTools, 'clock' | 'hashUser'>;

function openCall(tools: PrepareTools, asked: Asked): Opened {
  const { requestId, key, dialect, headers, isStrict, document, kind, catalog } = asked;
  const model = chooseModel(catalog, key, readModel(document), kind);
  if (model.free) asked.room.becomeFree();
  const models = modelsFor(model, asked);
  requireRoute(models, dialect);
  const request = dialect.readRequest(document);
  if (models.some((one) => isSameFormat(one, dialect))) requireReadable(request, tokenBounds(model, catalog).output);
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
  return { model, models, candidates: candidateModels(models, request, isStrict), request, carriers, dialect };
}

/** A translation carries no log probabilities. */
function isSameFormat({ routes }: Model, { endpoint }: Dialect): boolean {
  return routes.some(({ channel }) => channel.endpoints.includes(endpoint));
}

/** That the prompt is too long for all of them is told by the admission. */
function carried({ candidates, models }: Opened): readonly Model[] {
  return candidates.length > 0 ? candidates : models;
}

function readFirstAhead(opened: Opened): void {
  const [route] = carried(opened)[0]?.routes ?? [];
  if (route) ignoreFault(() => readAhead(opened.dialect, opened.request, route));
}

/** It is thrown again where the call is carried, unless another route can carry it. */
function ignoreFault(work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
  }
}

function carryCall({ dialect, ...opened }: Opened): Prepared {
  const { request, carriers } = opened;
  const carrier = requireCarrier(carried({ dialect, ...opened }), dialect, carriers);
  return { ...opened, emptyAnswer: request.maxOutputTokens === 0 ? carrier.emptyAnswer?.() : undefined };
}
