// The models that may answer a call: the one it names, then its fallbacks that the key may use and that serve the endpoint. Of
// these, the candidates take a prompt of this length, and as fallbacks also its thinking budget.

import type { Model } from '../catalog/catalog.ts';
import { canReach } from '../dialects/carry.ts';
import type { Dialect, RelayRequest } from '../dialects/dialect.ts';
import { mayFit } from '../dialects/input/count-input.ts';
import { fitsThinking } from '../ledger/thinking-budget.ts';
import type { IncomingCall } from './call.ts';
import { mayUse } from './choose-model.ts';

/** The named one is the first. */
export type Models = readonly [Model, ...Model[]];

export function modelsFor(model: Model, call: Pick<IncomingCall, 'catalog' | 'key' | 'kind' | 'dialect'>): Models {
  const models: [Model, ...Model[]] = [model];
  for (const id of model.fallbacks) {
    const fallback = call.catalog.find(id);
    if (fallback && !models.includes(fallback) && isUsable(fallback, call)) models.push(fallback);
  }
  return models;
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

/** The named model, or a fallback whose output bound leaves the thinking budget as it is. */
export function fitsOutputBound(model: Model, [named]: Models, request: RelayRequest, isStrict: boolean): boolean {
  return model === named || fitsThinking(request, model.maxOutputTokens, isStrict);
}
