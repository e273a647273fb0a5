// The models that may answer a call: the one it names, then those that the caller lists or else its fallbacks that the key may
// use, as far as they serve the endpoint. Of these, the candidates take a prompt of this length, and all but the first also its
// thinking budget.

import type { Model } from '../catalog/catalog.ts';
import { canReach } from '../dialects/carry.ts';
import type { Dialect, RelayRequest } from '../dialects/dialect.ts';
import { mayFit } from '../dialects/input/count-input.ts';
import type { NamedModel } from '../dialects/routing-fields.ts';
import { fault } from '../faults/fault.ts';
import { fitsThinking } from '../ledger/thinking-budget.ts';
import type { IncomingCall } from './call.ts';
import { chooseModel, mayUse } from './choose-model.ts';

/** The named one is the first, unless the caller asks for the cheapest. */
export type Models = readonly [Model, ...Model[]];

type ModelRequest = Pick<IncomingCall, 'catalog' | 'key' | 'kind' | 'dialect' | 'routing'>;

/** Throws if the caller lists a model that it cannot have. */
export function modelsFor(model: Model, call: ModelRequest): Models {
  const { routing } = call;
  const others = new Set(routing?.models ? listedModels(model, routing.models, call) : fallbacksOf(model, call));
  others.delete(model);
  return [model, ...others];
}

function fallbacksOf({ fallbacks }: Model, call: ModelRequest): Model[] {
  if (call.routing?.channels.allowFallbacks === false) return [];
  return fallbacks
    .map((id) => call.catalog.find(id))
    .filter((fallback) => fallback !== undefined)
    .filter((fallback) => isUsable(fallback, call));
}

function listedModels(
  named: Model,
  listed: readonly NamedModel[],
  { catalog, key, kind, dialect }: ModelRequest,
): Model[] {
  const models = listed.map(({ id, param }) => {
    const model = chooseModel(catalog, key, id, kind, param);
    if (model.free === named.free) return model;
    throw fault('invalid_request', {
      param,
      message: `models has free and paid models. List either free or paid ones: '${named.id}' is ${named.free ? 'free' : 'paid'}, '${model.id}' is not.`,
    });
  });
  return models.filter((model) => isReached(model, dialect));
}

function isUsable(fallback: Model, { key, kind, dialect }: Pick<IncomingCall, 'key' | 'kind' | 'dialect'>): boolean {
  return mayUse(key, fallback) && fallback.kinds.includes(kind) && isReached(fallback, dialect);
}

/** Whether some route of the model can be reached in the caller's dialect. */
export function isReached({ routes }: Model, dialect: Dialect): boolean {
  for (const { endpoints } of routes) if (canReach(dialect, endpoints)) return true;
  return false;
}

/** Empty if the prompt is too long for all of them. */
export function candidateModels(models: Models, request: RelayRequest, isStrict: boolean): Model[] {
  const candidates: Model[] = [];
  for (const model of models) {
    const isFitting = fitsOutputBound(model, models, request, isStrict) && mayFit(request.input, model.contextTokens);
    if (isFitting) candidates.push(model);
  }
  return candidates;
}

/** The first model, or another one whose output bound leaves the thinking budget as it is. */
export function fitsOutputBound(model: Model, [first]: Models, request: RelayRequest, isStrict: boolean): boolean {
  return model === first || fitsThinking(request, model.maxOutputTokens, isStrict);
}
