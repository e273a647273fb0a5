// Which model a call means, and whether this key may use it there. These checks come before the rest of the body is read.

import type { Catalog, Model } from '../catalog/catalog.ts';
import type { ModelKind } from '../catalog/document.ts';
import { nearestIds } from '../catalog/nearest-ids.ts';
import { fault } from '../faults/fault.ts';
import type { KeyRow } from '../store/rows.ts';

export function mayUse(key: KeyRow, model: Model): boolean {
  return key.models === null || key.models.includes(model.id);
}

export function requireAllowed(key: KeyRow, model: Model): void {
  if (mayUse(key, model)) return;
  throw fault('model_not_allowed', {
    param: 'model',
    ...(key.models?.length ? { hint: `This key may use: ${key.models.join(', ')}.` } : {}),
  });
}

export function chooseModel(catalog: Catalog, key: KeyRow, id: string, kind: ModelKind): Model {
  const model = catalog.find(id);
  if (!model) {
    const usable = catalog.models.filter((one) => mayUse(key, one)).map((one) => one.id);
    throw fault('model_not_found', { param: 'model', hint: hintAt(id, usable, key) });
  }
  requireAllowed(key, model);
  if (!model.kinds.includes(kind)) {
    throw fault('unsupported_endpoint', {
      param: 'model',
      hint: `${model.id} serves ${model.kinds.join(', ')}; this endpoint is for ${kind}.`,
    });
  }
  return model;
}

/** What else could be asked for. */
function hintAt(id: string, usable: readonly string[], { models }: KeyRow): string | undefined {
  const near = nearestIds(id, usable);
  if (near.length > 0) return `Did you mean ${near.join(', ')}?`;
  if (usable.length > 0) return `Models: ${usable.slice(0, 10).join(', ')}.`;
  return models?.length
    ? `This key may use: ${models.join(', ')}. There is none of them any more: use another key, or let this one use others.`
    : undefined;
}
