// Takes the caller's own routing out of a body, so that dialects and upstreams never see it, and names its model if the body
// does not.

import { type Routing, readRouting } from '../dialects/routing-fields.ts';
import { editMembers, type JsonDocument } from '../kit/json/json.ts';
import { nameModel, type Unnamed } from '../relay/name-model.ts';
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
