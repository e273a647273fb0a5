// Where a call goes next: which model, which route, after what wait. It knows what may be repeated where, how often, and
// when to turn to a fallback; it sends nothing itself.

import { createHash } from 'node:crypto';
import type { Model, Route } from '../catalog/catalog.ts';
import type { AttemptFailed, AttemptOutcome } from './attempt-failed.ts';
import type { Admission, Call, RelayTools } from './call.ts';
import { mayUse } from './choose-model.ts';

export interface Step {
  model: Model;
  route: Route;
  waitMs: number;
}

export interface Plan {
  /** The next try, given why the last one failed; undefined when there is none left. */
  next(failure?: AttemptFailed): Step | undefined;
}

const MAX_ON_ONE_MODEL = 3;
const MAX_IN_ALL = 6;
const LONGEST_RETRY_AFTER_S = 5;
const JITTER_MS = { least: 50, spread: 200 };

/** Failures after which the same channel may well answer a second time. */
const WORTH_REPEATING: ReadonlySet<AttemptOutcome> = new Set(['network_error', 'upstream_error', 'error_event', 'cut']);

export function createPlan(tools: RelayTools, { call }: Admission): Plan {
  const models = [call.model, ...usableFallbacks(call)];
  const tried = new Map<string, number>();
  let onModel = 0;
  let inAll = 0;
  let last: Step | undefined;

  function take(step: Step): Step {
    tried.set(step.route.channel.name, (tried.get(step.route.channel.name) ?? 0) + 1);
    onModel++;
    inAll++;
    last = step;
    return step;
  }

  function repeat(failure: AttemptFailed): Step | undefined {
    if (!last || onModel >= MAX_ON_ONE_MODEL || (tried.get(last.route.channel.name) ?? 0) > 1) return undefined;
    const waitMs = repeatWait(tools, failure);
    return waitMs !== undefined && tools.retryBudget.take() ? { ...last, waitMs } : undefined;
  }

  function nextModel(): boolean {
    models.shift();
    onModel = 0;
    return models.length > 0;
  }

  return {
    next(failure) {
      if (inAll >= MAX_IN_ALL) return undefined;
      if (failure?.isTooLong && !nextModel()) return undefined;
      const again = failure && !failure.isTooLong ? repeat(failure) : undefined;
      if (again) return take(again);
      for (;;) {
        const [model] = models;
        if (!model) return undefined;
        const route = onModel < MAX_ON_ONE_MODEL ? chooseRoute(tools, call, model, tried) : undefined;
        if (route) return take({ model, route, waitMs: 0 });
        if (!nextModel()) return undefined;
      }
    },
  };
}

function usableFallbacks({ model, catalog, key }: Call): Model[] {
  return model.fallbacks.flatMap((id) => {
    const fallback = catalog.find(id);
    return fallback && mayUse(key, fallback) && fallback.kinds.some((kind) => model.kinds.includes(kind))
      ? [fallback]
      : [];
  });
}

function repeatWait(tools: RelayTools, { outcome, retryAfterS }: AttemptFailed): number | undefined {
  if (outcome === 'rate_limited') {
    return retryAfterS !== undefined && retryAfterS <= LONGEST_RETRY_AFTER_S ? retryAfterS * 1000 : undefined;
  }
  if (!WORTH_REPEATING.has(outcome)) return undefined;
  return JITTER_MS.least + tools.random.fraction() * JITTER_MS.spread;
}

/** By priority, then by weight; a conversation keeps to its channel, so that the upstream's prompt cache stays warm. */
function chooseRoute(
  tools: RelayTools,
  call: Call,
  model: Model,
  tried: ReadonlyMap<string, number>,
): Route | undefined {
  let candidates = model.routes.filter(
    ({ channel }) => !tried.has(channel.name) && channel.endpoints.includes(call.dialect.endpoint),
  );
  while (candidates.length > 0) {
    const priority = Math.min(...candidates.map((route) => route.priority));
    const equals = candidates.filter((route) => route.priority === priority);
    const chosen = call.sessionKey === undefined ? byWeight(tools, equals) : bySession(call.sessionKey, equals);
    if (!chosen) return undefined;
    if (tools.health.admits(chosen.channel.name, chosen.model)) return chosen;
    candidates = candidates.filter((route) => route !== chosen);
  }
  return undefined;
}

function byWeight(tools: RelayTools, routes: readonly Route[]): Route | undefined {
  let mark = tools.random.fraction() * routes.reduce((sum, { weight }) => sum + weight, 0);
  for (const route of routes) {
    mark -= route.weight;
    if (mark < 0) return route;
  }
  return routes.at(-1);
}

/** Each session ranks the channels in an order of its own, in proportion to their weights. */
function bySession(sessionKey: string, routes: readonly Route[]): Route | undefined {
  const score = ({ channel, weight }: Route) => {
    const hash = createHash('sha256').update(`${sessionKey}\n${channel.name}`).digest();
    return -weight / Math.log((hash.readUInt32BE(0) + 1) / 2 ** 32 / 1.000001);
  };
  return routes.toSorted((a, b) => score(b) - score(a))[0];
}
