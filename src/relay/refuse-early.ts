// What a call can be refused for by its key and the model that it names, before its body is parsed. Everything is checked
// again afterwards: nothing is admitted here.

import { readModel } from '../dialects/fields.ts';
import { standingRefusal } from './admit.ts';
import type { Call, RelayTools } from './call.ts';
import { type Asking, modelsFor } from './candidate-models.ts';
import { chooseModel } from './choose-model.ts';
import { requireRoute } from './find-carrier.ts';

export type EarlyCall = Asking & Pick<Call, 'key' | 'noWait'>;

export interface Unparsed {
  model: string;
  /** Such a call may only warm a cache, which no limit refuses. */
  asksNoOutput: boolean;
}

/** Throws the fault for the client. */
export function refuseEarly(tools: Pick<RelayTools, 'clock' | 'refusals'>, asked: EarlyCall, body: Unparsed): void {
  const { catalog, key, kind, dialect } = asked;
  const named = chooseModel(catalog, key, readModel({ value: { model: body.model } }), kind);
  requireRoute(modelsFor(named, asked), dialect);
  if (body.asksNoOutput) return;
  const refused = standingRefusal(tools, { ...asked, model: named });
  if (refused) throw refused;
}
