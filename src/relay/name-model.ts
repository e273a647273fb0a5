// The model of a call that names none, in the formats of which clients leave it out.

import type { Catalog } from '../catalog/catalog.ts';
import type { Dialect } from '../dialects/dialect.ts';
import { refuseField } from '../dialects/fields.ts';
import type { Json } from '../kit/json/json.ts';
import type { ModelKind } from '../vendors/endpoints.ts';
import { isReached } from './candidate-models.ts';
import { type ModelLimit, mayUse } from './choose-model.ts';

const MAX_NAMED = 10;

export interface Unnamed {
  catalog: Catalog;
  key: ModelLimit;
  kind: ModelKind;
  dialect: Dialect;
}

/**
 * The vendor's own default if the key may use it here, else the only model there is for the call. Throws a fault if it could be
 * one of several. Undefined if the body names one, or must.
 */
export function nameModel(named: Json | undefined, { catalog, key, kind, dialect }: Unnamed): string | undefined {
  const { defaultModel } = dialect.request;
  if (defaultModel === undefined || (named !== undefined && named !== null)) return undefined;
  const usable = catalog.models.filter(
    (model) => mayUse(key, model) && model.kinds.includes(kind) && isReached(model, dialect),
  );
  const usual = catalog.find(defaultModel);
  if (usual && usable.includes(usual)) return defaultModel;
  const [only, ...others] = usable;
  if (only && others.length === 0) return only.id;
  if (!only) return undefined;
  const ids = usable.slice(0, MAX_NAMED).map(({ id }) => id);
  return refuseField('model', `model is missing, and several could be meant. Set model to one of ${ids.join(', ')}.`);
}
