// Orders a model's routes: by priority, then by weight. A conversation stays on one channel, so that the upstream's prompt
// cache can be used.

import { createHash } from 'node:crypto';
import type { Model, Route } from '../catalog/catalog.ts';
import { canReach } from '../dialects/carry.ts';
import type { Dialect } from '../dialects/dialect.ts';
import type { Random } from '../kit/random.ts';

/** Routes of one priority together, the lowest first. */
type Ranks = readonly (readonly Route[])[];

/** Keyed by the model object, which each catalog revision creates anew. */
const known = new WeakMap<Model, Map<Dialect['endpoint'], Ranks>>();

/** The routes of a model that a dialect can reach. */
export function rankRoutes(model: Model, dialect: Dialect): Ranks {
  let ofModel = known.get(model);
  if (!ofModel) {
    ofModel = new Map();
    known.set(model, ofModel);
  }
  let ranks = ofModel.get(dialect.endpoint);
  if (!ranks) {
    ranks = rank(model.routes, dialect);
    ofModel.set(dialect.endpoint, ranks);
  }
  return ranks;
}

function rank(routes: readonly Route[], dialect: Dialect): Ranks {
  const reached = routes.filter(({ endpoints }) => canReach(dialect, endpoints));
  const priorities = [...new Set(reached.map(({ priority }) => priority))].sort((a, b) => a - b);
  return priorities.map((priority) => reached.filter((route) => route.priority === priority));
}

/** One of several of the same priority. */
export function chooseRoute(
  routes: readonly Route[],
  conversationName: string | undefined,
  random: Random,
): Route | undefined {
  return conversationName === undefined ? byWeight(routes, random) : byConversation(routes, conversationName);
}

function byWeight(routes: readonly Route[], random: Random): Route | undefined {
  let sum = 0;
  for (const { weight } of routes) sum += weight;
  let mark = random.fraction() * sum;
  for (const route of routes) {
    mark -= route.weight;
    if (mark < 0) return route;
  }
  return routes.at(-1);
}

/** Each conversation has its own order of the channels, in proportion to their weights. */
function byConversation(routes: readonly Route[], conversationName: string): Route | undefined {
  let chosen: Route | undefined;
  let most = Number.NEGATIVE_INFINITY;
  for (const route of routes) {
    const score = scoreOf(route, conversationName);
    if (score <= most) continue;
    most = score;
    chosen = route;
  }
  return chosen;
}

function scoreOf({ channel, weight }: Route, conversationName: string): number {
  const hash = createHash('sha256').update(`${conversationName}\n${channel.name}`).digest();
  return -weight / Math.log((hash.readUInt32BE(0) + 1) / 2 ** 32 / 1.000001);
}
