// What a call can be refused for by its key and the model that it names, before its body is parsed. Everything is checked
// again afterwards: nothing is admitted here.

import { readModel } from '../dialects/fields.ts';
import { standingRefusal } from './admit.ts';
import type { Call, RelayTools } from './call.ts';
import { type Asking, modelsFor } from './candidate-models.ts';
import { chooseModel } from './choose-model.ts';
import { requireRoute } from './find-carrier.ts';

export type EarlyCall = Asking & Pick<Call, 'key' | 'noWait'>;

/** Throws the fault for the client; `model` is what the body says, as far as it can be told. */
export function refuseEarly(tools: Pick<RelayTools, 'clock' | 'refusals'>, asked: EarlyCall, model: string): void {
  const { catalog, key, kind, dialect } = asked;
  const named = chooseModel(catalog, key, readModel({ value: { model } }), kind);
  requireRoute(modelsFor(named, asked), dialect);
  const refused = standingRefusal(tools, { ...asked, model: named });
  if (refused) throw refused;
}
