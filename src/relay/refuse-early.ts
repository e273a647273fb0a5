// Refuses a large call by its key and model before its body is parsed. The same is checked again afterwards.

import { readModel } from '../dialects/fields.ts';
import type { UnparsedFields } from '../dialects/unparsed-fields.ts';
import type { Call, RelayTools } from './call.ts';
import { modelsFor } from './candidate-models.ts';
import { chooseModel } from './choose-model.ts';
import { requireRoute } from './find-carrier.ts';
import { knownRefusal } from './wait-for-capacity.ts';

/** Throws the fault for the client. */
export function refuseEarly(
  tools: Pick<RelayTools, 'clock' | 'refusals'>,
  call: Pick<Call, 'catalog' | 'key' | 'kind' | 'dialect' | 'noWait'>,
  fields: UnparsedFields,
): void {
  const { catalog, key, kind, dialect } = call;
  const model = chooseModel(catalog, key, readModel(fields), kind);
  if (!fields.listsModels) requireRoute(modelsFor(model, { ...call, routing: undefined }), dialect);
  if (fields.asksNoOutput) return;
  const refused = knownRefusal(tools, { ...call, model });
  if (refused) throw refused;
}
