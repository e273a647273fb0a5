// From a body that was read to a call that may be admitted: which models may answer it, what it asks for, and how it can
// travel to one of them. What is refused here has taken neither a slot nor money.

import type { Catalog } from '../catalog/catalog.ts';
import type { ModelKind } from '../catalog/document.ts';
import { readModel } from '../dialects/fields.ts';
import type { JsonDocument } from '../kit/json/json.ts';
import type { Call, RelayTools } from './call.ts';
import { candidateModels, modelsFor } from './candidate-models.ts';
import { chooseModel } from './choose-model.ts';
import { Carriers, requireCarrier, requireRoomToThink, requireRoute } from './find-carrier.ts';

export interface Asked extends Pick<Call, 'requestId' | 'key' | 'dialect' | 'headers' | 'isStrict' | 'room'> {
  document: JsonDocument;
  kind: ModelKind;
  catalog: Catalog;
}

export interface Prepared extends Pick<Call, 'model' | 'models' | 'candidates' | 'request' | 'carriers'> {
  /** Set if the call only asks to warm a cache that the upstream does not have: this is all there is to answer. */
  emptyAnswer: string | undefined;
}

/** Throws the fault for the client, in the order of the contract: the model, its routes, the body, how it is carried. */
export function prepareCall(tools: Pick<RelayTools, 'clock' | 'hashUser'>, asked: Asked): Prepared {
  const { requestId, key, dialect, headers, isStrict, document, kind, catalog } = asked;
  const model = chooseModel(catalog, key, readModel(document), kind);
  if (model.free) asked.room.becomeFree();
  const models = modelsFor(model, asked);
  requireRoute(models, dialect);
  const request = dialect.readRequest(document);
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
  // That the prompt is too long for all of them is told by the admission.
  const carrier = requireCarrier(candidates.length > 0 ? candidates : models, dialect, carriers);
  return {
    model,
    models,
    candidates,
    request,
    carriers,
    emptyAnswer: request.maxOutputTokens === 0 ? carrier.emptyAnswer?.() : undefined,
  };
}
