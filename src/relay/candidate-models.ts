// The models that may answer a call: the one it names, then those of its fallbacks that this key may use and that serve
// the same endpoint; of these, the ones that take a prompt of this length, and fallbacks only with room for its thinking.

import type { Catalog, Model } from '../catalog/catalog.ts';
import type { ModelKind } from '../catalog/document.ts';
import { canReach } from '../dialects/carry.ts';
import type { Dialect, RelayRequest } from '../dialects/dialect.ts';
import { mayFit } from '../dialects/input/count-input.ts';
import { hasRoomToThink } from '../ledger/thinking-room.ts';
import type { KeyRow } from '../store/rows.ts';
import { mayUse } from './choose-model.ts';

/** The named one is the first. */
export type Models = readonly [Model, ...Model[]];

export interface Asking {
  catalog: Catalog;
  key: KeyRow;
  kind: ModelKind;
  dialect: Dialect;
}

export function modelsFor(model: Model, { catalog, key, kind, dialect }: Asking): Models {
  if (model.fallbacks.length === 0) return [model];
  const isUsable = (fallback: Model) =>
    mayUse(key, fallback) && fallback.kinds.includes(kind) && isReached(fallback, dialect);
  return [model, ...model.fallbacks.flatMap((id) => catalog.find(id) ?? []).filter(isUsable)];
}

/** Whether some route of the model can be reached in the caller's dialect. */
export function isReached({ routes }: Model, dialect: Dialect): boolean {
  return routes.some(({ channel }) => canReach(dialect, channel.endpoints));
}

/** Empty if the prompt is too long for all of them. */
export function candidateModels(models: Models, request: RelayRequest, isStrict: boolean): Model[] {
  return withRoom(models, request, isStrict).filter(({ contextTokens }) => mayFit(request.input, contextTokens));
}

/** Those that could take a shorter prompt: the named one, and the fallbacks that the request's thinking fits into. */
export function withRoom(models: Models, request: RelayRequest, isStrict: boolean): Model[] {
  const [named] = models;
  return models.filter((model) => model === named || hasRoomToThink(request, model.maxOutputTokens, isStrict));
}
