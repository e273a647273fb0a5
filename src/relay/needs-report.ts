// Whether only the upstream's report says what an answer took. Where the customer ends such an answer early, the rest of it is
// read for the report; elsewhere the upstream is stopped at once.

import { mayReasonUnseen } from '../dialects/traits/reasoning.ts';
import type { Json } from '../kit/json/json.ts';
import type { BegunStream } from './begun.ts';
import type { Call, RelayTools } from './call.ts';
import type { Step } from './plan.ts';

type Tools = Pick<RelayTools, 'reasoning'>;
type Taken = Pick<Step, 'route' | 'model'>;

export function needsReport(tools: Tools, call: Call, step: Taken, { carrier }: Pick<BegunStream, 'carrier'>): boolean {
  if (step.route.channel.drainOnAbort) return true;
  if (step.model.free) return false;
  const { input, images } = call.request;
  if (input.isOpen || asksForMedia(call.request.document.value.modalities)) return true;
  // A translation leaves the upstream's own tools behind.
  if (input.vendorTools > 0 && !carrier.isTranslated) return true;
  if (images > 0) return step.model.prices.input > 0n || step.model.prices.output > 0n;
  return maySpendUnseen(tools, call, step);
}

/** Whether its upstream may work without showing it. */
export function maySpendUnseen({ reasoning }: Tools, { request }: Call, { route }: Taken): boolean {
  return mayReasonUnseen(route.model, request.document.value) || reasoning.wasUnseen(route.channel.name, route.model);
}

function asksForMedia(modalities: Json | undefined): boolean {
  return Array.isArray(modalities) && modalities.some((one) => one !== 'text');
}
