// What a call can be refused for by its key and the model that it names, before its body is parsed. Everything is checked
// again afterwards: nothing is admitted here.

import { readModel } from '../dialects/fields.ts';
import type { UnparsedFields } from '../dialects/unparsed-fields.ts';
import type { Call, RelayTools } from './call.ts';
import { modelsFor } from './candidate-models.ts';
import { chooseModel } from './choose-model.ts';
import { requireRoute } from './find-carrier.ts';
import { standingRefusal } from './wait-for-capacity.ts';

type EarlyCall = Pick<Call, 'catalog' | 'key' | 'kind' | 'dialect' | 'noWait'>;

/** Throws the fault for the client. */
export function refuseEarly(
  tools: Pick<RelayTools, 'clock' | 'refusals'>,
  call: EarlyCall,
  fields: UnparsedFields,
): void {
  const { catalog, key, kind, dialect } = call;
  const model = chooseModel(catalog, key, readModel(fields), kind);
  requireRoute(modelsFor(model, call), dialect);
  if (fields.asksNoOutput) return;
  const refused = standingRefusal(tools, { ...call, model });
  if (refused) throw refused;
}
