// The models that may answer a call: the one it names, then those of its fallbacks that this key may use and that serve
// the same endpoint; of these, the ones that take a prompt of this length, and fallbacks only if their output bound fits its thinking.

import type { Catalog, Model } from '../catalog/catalog.ts';
import { canReach } from '../dialects/carry.ts';
import type { Dialect, RelayRequest } from '../dialects/dialect.ts';
import { mayFit } from '../dialects/input/count-input.ts';
import { fitsThinking } from '../ledger/thinking-budget.ts';
import type { ModelKind } from '../vendors/endpoints.ts';
import { type ModelLimit, mayUse } from './choose-model.ts';

/** The named one is the first. */
export type Models = readonly [Model, ...Model[]];

interface NamingCall {
  catalog: Catalog;
  key: ModelLimit;
  kind: ModelKind;
  dialect: Dialect;
}

export function modelsFor(model: Model, call: NamingCall): Models {
  const models: [Model, ...Model[]] = [model];
  for (const id of model.fallbacks) {
    const fallback = call.catalog.find(id);
    if (fallback && !models.includes(fallback) && isUsable(fallback, call)) models.push(fallback);
  }
  return models;
}

function isUsable(fallback: Model, { key, kind, dialect }: NamingCall): boolean {
  return mayUse(key, fallback) && fallback.kinds.includes(kind) && isReached(fallback, dialect);
}

/** Whether some route of the model can be reached in the caller's dialect. */
export function isReached({ routes }: Model, dialect: Dialect): boolean {
  for (const { channel } of routes) if (canReach(dialect, channel.endpoints)) return true;
  return false;
}

/** Empty if the prompt is too long for all of them. */
export function candidateModels(models: Models, request: RelayRequest, isStrict: boolean): Model[] {
  const candidates: Model[] = [];
  for (const model of models) {
    const isFitting = hasRoom(model, models, request, isStrict) && mayFit(request.input, model.contextTokens);
    if (isFitting) candidates.push(model);
  }
  return candidates;
}

/** Whether it may take the request, apart from the prompt's length: the named model, and fallbacks whose bound fits the thinking. */
export function hasRoom(model: Model, [named]: Models, request: RelayRequest, isStrict: boolean): boolean {
  return model === named || fitsThinking(request, model.maxOutputTokens, isStrict);
}
