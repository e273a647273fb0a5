// What a call can be refused for by its key and the model that it names, before its body is parsed. Everything is checked
// again afterwards: nothing is admitted here.

import { readModel } from '../dialects/fields.ts';
import type { Call, RelayTools } from './call.ts';
import { modelsFor } from './candidate-models.ts';
import { chooseModel } from './choose-model.ts';
import { requireRoute } from './find-carrier.ts';
import { standingRefusal } from './wait-for-capacity.ts';

export type EarlyCall = Pick<Call, 'catalog' | 'key' | 'kind' | 'dialect' | 'noWait'>;

export interface Unparsed {
  model: string;
  /** Such a call may only warm a cache, which no limit refuses. */
  asksNoOutput: boolean;
}

/** Throws the fault for the client. */
export function refuseEarly(tools: Pick<RelayTools, 'clock' | 'refusals'>, call: EarlyCall, body: Unparsed): void {
  const { catalog, key, kind, dialect } = call;
  const model = chooseModel(catalog, key, readModel({ value: { model: body.model } }), kind);
  requireRoute(modelsFor(model, call), dialect);
  if (body.asksNoOutput) return;
  const refused = standingRefusal(tools, { ...call, model });
  if (refused) throw refused;
}
