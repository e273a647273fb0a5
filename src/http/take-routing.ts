// Takes the caller's own routing out of a body, so that dialects and upstreams never see it.

import { type Routing, readRouting } from '../dialects/routing-fields.ts';
import { editMembers, type JsonDocument } from '../kit/json/json.ts';
import { finishScan, openScan } from './read-body.ts';

interface RoutedDocument {
  document: JsonDocument;
  routing: Routing | undefined;
}

export async function takeRouting(document: JsonDocument): Promise<RoutedDocument> {
  const found = readRouting(document.value);
  if (!found) return { document, routing: undefined };
  const { routing, edits } = found;
  const text = editMembers(document, edits);
  const value = { ...document.value, ...edits };
  for (const name in edits) if (edits[name] === undefined) delete value[name];
  return { routing, document: { text, value, spans: await finishScan(openScan(text)) } };
}
