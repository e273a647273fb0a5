// Whether the bill needs the upstream's usage report. If the client ends such an answer early, the rest is read for the report;
// otherwise the upstream is stopped at once.

import { mayReasonUnseen } from '../dialects/input/reasoning.ts';
import type { Json } from '../kit/json/json.ts';
import type { BegunStream } from './begun.ts';
import type { Call } from './call.ts';
import type { ChosenRoute } from './plan.ts';

/** `begun`: undefined for a whole answer, before it has come. */
export function needsReport(call: Call, step: ChosenRoute, begun?: BegunStream): boolean {
  if (step.route.channel.drainOnAbort) return true;
  if (step.model.free) return false;
  const { input, images, isUncut } = call.request;
  if (input.isOpen || asksForMedia(call.request.document.value.modalities)) return true;
  // A translation removes the upstream's own tools.
  if (input.toolUse.tokens > 0 && !begun?.carrier.isTranslated) return true;
  if (images > 0 || isUncut) return step.model.prices.input > 0n || step.model.prices.output > 0n;
  return maySpendUnseen(call, step, begun ? silentMs(begun) : 0);
}

/** The time until its first visible output. */
export function silentMs({ startedAt, firstTokenAt }: Pick<BegunStream, 'startedAt' | 'firstTokenAt'>): number {
  return firstTokenAt === null ? 0 : firstTokenAt - startedAt;
}

/** Whether the upstream may produce hidden reasoning. */
export function maySpendUnseen({ tools, request }: Call, { route }: ChosenRoute, ms: number): boolean {
  const { channel, model } = route;
  return mayReasonUnseen(model, request.document.value, ms) || tools.reasoning.hasHidden(channel.name, model);
}

function asksForMedia(modalities: Json | undefined): boolean {
  return Array.isArray(modalities) && modalities.some((one) => one !== 'text');
}
