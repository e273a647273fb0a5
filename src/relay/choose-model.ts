// Finds the model of a call and checks that its key may use it, before the rest of the body is read.

import type { PresentedKey } from '../accounts/keys/authenticator.ts';
import type { Catalog, Model } from '../catalog/catalog.ts';
import { nearestIds } from '../catalog/nearest-ids.ts';
import { type Fault, fault } from '../faults/fault.ts';
import type { FaultAction } from '../faults/table.ts';
import { taipeiMoment } from '../kit/taipei.ts';
import type { ModelKind } from '../vendors/endpoints.ts';

/** Decides which models a key may use: its allow-list and those of its ancestors. */
export type ModelLimit = Pick<PresentedKey, 'allowedModels'>;

export function mayUse({ allowedModels }: ModelLimit, model: Model): boolean {
  return allowedModels === null || allowedModels.includes(model.id);
}

/** Undefined if the key may use the model. `retired`: the model that it replaces in this call. */
export function notAllowed(key: ModelLimit, model: Model, retired?: Model, param = 'model'): Fault | undefined {
  if (mayUse(key, model)) return undefined;
  const { allowedModels } = key;
  const hint = allowedModels?.length ? `This key may use: ${allowedModels.join(', ')}.` : undefined;
  const named = retired
    ? `Model '${retired.id}' was retired and is replaced by '${model.id}', which`
    : `Model '${model.id}'`;
  return fault('model_not_allowed', {
    param,
    message: `${named} is not on this key's allow-list. ${hint ?? 'Use another key.'}`,
    hint,
  });
}

function retiredFault({ id, retirement }: Model, param: string): Fault {
  const { at = 0, successor } = retirement ?? {};
  const remedy = successor === undefined ? 'Choose one from the list of models.' : `Use '${successor}' instead.`;
  return fault('model_retired', {
    param,
    message: `Model '${id}' was retired on ${taipeiMoment(at)} (Taipei time). ${remedy}`,
    figures: { retired_at: new Date(at).toISOString(), ...(successor === undefined ? {} : { replaced_by: successor }) },
    ...(successor === undefined ? {} : { actions: [showModel(successor)] }),
  });
}

function showModel(id: string): FaultAction {
  return { method: 'GET', path: `/v1/models/${id}`, why: 'see the model that replaces it' };
}

/** `param`: where the body names it. */
export function chooseModel(catalog: Catalog, key: ModelLimit, id: string, kind: ModelKind, param = 'model'): Model {
  const model = catalog.find(id);
  const retired = catalog.retired.get(id);
  if (!model) {
    if (retired) throw retiredFault(retired, param);
    const usable = catalog.models.filter((one) => mayUse(key, one)).map((one) => one.id);
    const hint = hintAt(id, usable, key);
    const message = `${namedIn('model', id)} does not exist. ${hint ?? 'Choose one from the list of models.'}`;
    throw fault(param === 'model' ? 'model_not_found' : 'invalid_request', { param, message, hint });
  }
  const refused = notAllowed(key, model, retired, param);
  if (refused) throw refused;
  if (!model.kinds.includes(kind)) {
    const hint = `${model.id} serves ${model.kinds.join(', ')}; this endpoint is for ${kind}.`;
    throw fault('unsupported_endpoint', {
      param,
      message: `Model '${model.id}' does not serve this endpoint. ${hint} Choose another model.`,
      hint,
    });
  }
  return model;
}

/** Anything that does not look like an id may be content, and is not repeated. */
export function namedIn(what: 'model' | 'channel', id: string): string {
  const isId = /^[\w.:/@+-]{1,100}$/.test(id);
  return isId ? `${what === 'model' ? 'Model' : 'Channel'} '${id}'` : `This ${what}`;
}

/** Similar or usable models. */
function hintAt(id: string, usable: readonly string[], { allowedModels: models }: ModelLimit): string | undefined {
  const near = nearestIds(id, usable);
  if (near.length > 0) return `Did you mean ${near.join(', ')}?`;
  if (usable.length > 0) return `Models: ${usable.slice(0, 10).join(', ')}.`;
  return models?.length
    ? `This key may use: ${models.join(', ')}. None of them exists any more. Use another key, or change the allow-list of this one.`
    : undefined;
}
