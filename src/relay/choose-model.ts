// Which model a call means, and whether this key may use it there. These checks come before the rest of the body is read.

import type { Catalog, Model } from '../catalog/catalog.ts';
import type { ModelKind } from '../catalog/document.ts';
import { nearestIds } from '../catalog/nearest-ids.ts';
import { canReach } from '../dialects/carry.ts';
import type { Dialect } from '../dialects/dialect.ts';
import { fault } from '../faults/fault.ts';
import type { KeyRow } from '../store/rows.ts';

export function mayUse(key: KeyRow, model: Model): boolean {
  return key.models === null || key.models.includes(model.id);
}

export function chooseModel(catalog: Catalog, key: KeyRow, id: string, kind: ModelKind): Model {
  const model = catalog.find(id);
  if (!model) {
    const usable = catalog.models.filter((one) => mayUse(key, one)).map((one) => one.id);
    const near = nearestIds(id, usable);
    throw fault('model_not_found', {
      param: 'model',
      hint: near.length > 0 ? `Did you mean ${near.join(', ')}?` : `Models: ${usable.slice(0, 10).join(', ')}.`,
    });
  }
  if (!mayUse(key, model)) {
    throw fault('model_not_allowed', {
      param: 'model',
      ...(key.models?.length ? { hint: `This key may use: ${key.models.join(', ')}.` } : {}),
    });
  }
  if (!model.kinds.includes(kind)) {
    throw fault('unsupported_endpoint', {
      param: 'model',
      hint: `${model.id} serves ${model.kinds.join(', ')}; this endpoint is for ${kind}.`,
    });
  }
  return model;
}

/** Whether some route of the model can be reached in the caller's dialect. */
export function requireRoute(model: Model, dialect: Dialect): void {
  // Its channels are switched off for now: another time the same call is right.
  if (model.routes.length === 0)
    throw fault('unavailable', { internal: `every channel of ${model.id} is switched off` });
  if (model.routes.some(({ channel }) => canReach(dialect, channel.endpoints))) return;
  throw fault('unsupported_endpoint', { param: 'model', hint: `No channel of ${model.id} serves this endpoint.` });
}
