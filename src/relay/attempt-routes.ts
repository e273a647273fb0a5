// The routes of a model in their order until one serves. A failure before the first byte is invisible to the client,
// except in the receipt.

import { type Fault, fault } from '../faults/fault.ts';
import { attempt, type Begun } from './attempt.ts';
import { AttemptFailed } from './attempt-failed.ts';
import type { Admission, RelayTools, Route } from './call.ts';

const MAX_ATTEMPTS = 3;

/** Throws AttemptFailed when the client left or the gateway drains, else the fault for the client. */
export async function attemptRoutes(tools: RelayTools, admission: Admission): Promise<Begun> {
  const failures: AttemptFailed[] = [];
  for (const route of admission.call.model.routes.slice(0, MAX_ATTEMPTS)) {
    const startedAt = tools.clock.monotonic();
    const record = (outcome: string) =>
      admission.attempts.push({
        channel: route.channel.name,
        outcome,
        ms: Math.round(tools.clock.monotonic() - startedAt),
      });
    try {
      const begun = await attempt(tools, admission, route);
      record('ok');
      return begun;
    } catch (error) {
      if (!(error instanceof AttemptFailed)) throw error;
      record(error.outcome);
      raiseAlarm(tools, admission, route, error);
      if (error.refusal) throw error.refusal;
      if (error.outcome === 'client_gone' || error.outcome === 'drained') throw error;
      failures.push(error);
    }
  }
  throw everyChannelFailed(failures);
}

function everyChannelFailed(failures: readonly AttemptFailed[]): Fault {
  if (failures.length === 0) return fault('unavailable');
  if (failures.some((failure) => failure.outcome !== 'rate_limited')) return fault('upstream_failed');
  const waits = failures.map((failure) => failure.retryAfterS).filter((wait) => wait !== undefined);
  return fault('unavailable', { retryAfterS: waits.length > 0 ? Math.min(...waits) : undefined });
}

function raiseAlarm(tools: RelayTools, { call }: Admission, route: Route, { outcome }: AttemptFailed): void {
  const fields = { request_id: call.requestId, channel: route.channel.name, model: call.model.id };
  if (outcome === 'refused_our_key') tools.alarms.raise('upstream_refused_our_key', fields);
  if (outcome === 'route_missing') tools.alarms.raise('upstream_route_missing', fields);
}
