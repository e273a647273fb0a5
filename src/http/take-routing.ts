// Takes the caller's own routing out of a body, so that dialects and upstreams never see it, and names its model if the body
// does not.

import type { Catalog } from '../catalog/catalog.ts';
import { refuseField } from '../dialects/fields.ts';
import { type Routing, readRouting } from '../dialects/routing-fields.ts';
import { editMembers, type Json, type JsonDocument } from '../kit/json/json.ts';
import { isReached, type ModelLimit, mayUse } from '../relay/choose-model.ts';
import type { ModelCall } from './call-model.ts';
import { finishScan, openScan } from './read-body.ts';

interface RoutedDocument {
  document: JsonDocument;
  routing: Routing | undefined;
}

export async function takeRouting(document: JsonDocument, call: Unnamed): Promise<RoutedDocument> {
  const { routing, edits = {} } = readRouting(document.value) ?? {};
  const model = nameModel(edits.model ?? document.value.model, call);
  if (model !== undefined) edits.model = model;
  if (Object.keys(edits).length === 0) return { document, routing };
  const text = editMembers(document, edits);
  const value = { ...document.value, ...edits };
  for (const name in edits) if (edits[name] === undefined) delete value[name];
  return { routing, document: { text, value, spans: await finishScan(openScan(text)) } };
}

const MAX_NAMED = 10;
const NONE =
  'model is missing, and this key may use no model for this call. GET /v1/models lists the models of the key with their endpoints.';

interface Unnamed extends Pick<ModelCall, 'kind' | 'dialect'> {
  catalog: Catalog;
  key: ModelLimit;
}

/**
 * The vendor's own default if the key may use it here, else the only model there is for the call. Throws a fault if it could be
 * one of several, or none. Undefined if the body names one, or must.
 */
function nameModel(named: Json | undefined, { catalog, key, kind, dialect }: Unnamed): string | undefined {
  const { defaultModel } = dialect.request;
  if (defaultModel === undefined || (named !== undefined && named !== null)) return undefined;
  const usable = catalog.models.filter(
    (model) => mayUse(key, model) && model.kinds.includes(kind) && isReached(model, dialect),
  );
  const usual = catalog.find(defaultModel);
  if (usual && usable.includes(usual)) return defaultModel;
  const [only, ...others] = usable;
  if (only && others.length === 0) return only.id;
  if (!only) return refuseField('model', NONE);
  const ids = usable.slice(0, MAX_NAMED).map(({ id }) => id);
  return refuseField('model', `model is missing, and several could be meant. Set model to one of ${ids.join(', ')}.`);
}
