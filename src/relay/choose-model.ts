// The models that may answer a call: the one it names, which its key must be allowed to use, then those that the caller lists or
// else its fallbacks that the key may use, as far as they serve the endpoint. Of these, the candidates take a prompt of this
// length, and all but the first also its thinking budget.

import type { PresentedKey } from '../accounts/keys/authenticator.ts';
import type { Catalog, Model } from '../catalog/catalog.ts';
import { nearestIds } from '../catalog/nearest-ids.ts';
import { canReach } from '../dialects/carry.ts';
import type { Dialect, RelayRequest } from '../dialects/dialect.ts';
import { mayFit } from '../dialects/input/count-input.ts';
import type { NamedModel } from '../dialects/routing-fields.ts';
import { type Fault, fault } from '../faults/fault.ts';
import type { FaultAction } from '../faults/table.ts';
import { taipeiMoment } from '../kit/taipei.ts';
import { fitsThinking } from '../ledger/thinking-budget.ts';
import type { ModelKind } from '../vendors/endpoints.ts';
import type { IncomingCall } from './call.ts';

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
