// Where a call goes next: which model, which route, after what wait. It knows what may be repeated where, how often, and
// when to turn to a fallback; it sends nothing itself.

import { createHash } from 'node:crypto';
import type { Model, Route } from '../catalog/catalog.ts';
import type { Pass } from '../channels/health.ts';
import { canReach } from '../dialects/carry.ts';
import { mayBegin } from '../dialects/may-begin.ts';
import { Fault } from '../faults/fault.ts';
import type { AttemptFailed } from './attempt-failed.ts';
import type { Admission, Call, RelayTools } from './call.ts';
import { OUTCOMES } from './outcomes.ts';

export interface Step {
  model: Model;
  route: Route;
  waitMs: number;
  /** For telling the channel's health what came of it. */
  pass: Pass;
  /** Sealed reasoning stays behind: no route of the model could open it. */
  withoutSealed: boolean;
}

export interface Plan {
  /** The next try, given why the last one failed; undefined when there is none left. */
  next(failure?: AttemptFailed): Step | undefined;
  /** The last route again, at once, because what it refused was no try: a prefill, which it is not given any more. */
  again(): Step | undefined;
  /** Until the first of the routes that were passed over for their breaker may be asked again. */
  shutForMs(): number | undefined;
  /** Whether some route can continue an answer that another began. */
  mayPrefill: boolean;
  /** Whether this one can. */
  canPrefill(route: Route): boolean;
}

const MAX_ON_ONE_MODEL = 3;
const MAX_IN_ALL = 6;
const LONGEST_RETRY_AFTER_S = 5;
const JITTER_MS = { least: 50, spread: 200 };

export function createPlan(tools: RelayTools, { call }: Admission): Plan {
  const models = [...call.candidates];
  const mayPrefill =
    models.some(({ routes }) => routes.some(({ prefill }) => prefill)) && mayBegin(call.request.document.value);
  const refusing = new Set<Route>();
  const tried = new Map<string, number>();
  const passedOver = new Set<Route>();
  let onModel = 0;
  let inAll = 0;
  let last: Step | undefined;
  /** The last step that could not open sealed reasoning; then whether that was left out. */
  let sealed: Step | undefined;
  let withoutSealed = false;
  let conversationName: string | undefined;

  function take(step: Step): Step {
    tried.set(step.route.channel.name, (tried.get(step.route.channel.name) ?? 0) + 1);
    onModel++;
    inAll++;
    last = step;
    return step;
  }

  /** The last route once more, unless it had its second try, or its breaker has opened for another reason. */
  function repeat(failure: AttemptFailed): Step | undefined {
    const waitMs = repeatWait(tools, failure);
    if (!last || waitMs === undefined || onModel >= MAX_ON_ONE_MODEL || inAll >= MAX_IN_ALL) return undefined;
    const { channel, model } = last.route;
    if ((tried.get(channel.name) ?? 0) > 1) return undefined;
    const isToldToWait = OUTCOMES[failure.outcome].again === 'as_told';
    const pass = isToldToWait
      ? tools.health.readmits(channel.name, model)
      : tools.health.admits(channel.name, model, last.pass);
    if (!pass) return undefined;
    if (tools.retryBudget.take(tools.running.size)) return take({ ...last, waitMs, pass });
    tools.health.forget(pass);
    return undefined;
  }

  function again(): Step | undefined {
    if (last) refusing.add(last.route);
    if (!last || inAll >= MAX_IN_ALL) return undefined;
    return anew(last);
  }

  /** At once, and no try on the channel or the model. */
  function anew(step: Step): Step {
    const { channel, model } = step.route;
    tried.set(channel.name, (tried.get(channel.name) ?? 1) - 1);
    onModel--;
    return take({ ...step, waitMs: 0, pass: tools.health.readmits(channel.name, model), withoutSealed });
  }

  /** A route that could not open what another account sealed, once without it: better than no answer of this model. */
  function unseal(): Step | undefined {
    if (!sealed || withoutSealed || call.isStrict) return undefined;
    withoutSealed = true;
    return anew(sealed);
  }

  function choose(model: Model): Choice | undefined {
    if (model.routes.length > 1) conversationName ??= call.conversationName ?? nameByStart(call);
    return chooseRoute(tools, call, model, { tried, passedOver, conversationName });
  }

  function nextModel(): void {
    models.shift();
    onModel = 0;
    sealed = undefined;
  }

  return {
    mayPrefill,
    canPrefill: (route) => mayPrefill && route.prefill && !refusing.has(route),
    again,
    shutForMs() {
      const waits = [...passedOver].map(({ channel, model }) => tools.health.shutForMs(channel.name, model));
      return waits.length > 0 ? Math.min(...waits) : undefined;
    },
    next(failure) {
      if (inAll >= MAX_IN_ALL) return undefined;
      const repeated = failure && repeat(failure);
      if (repeated) return repeated;
      if (failure?.isSealed) sealed = last;
      if (failure?.isTooLong) {
        // The channel did nothing wrong: it may serve a model that takes more.
        if (last) tried.delete(last.route.channel.name);
        nextModel();
      }
      for (; models.length > 0; nextModel()) {
        const [model] = models;
        const chosen = model && onModel < MAX_ON_ONE_MODEL ? choose(model) : undefined;
        if (model && chosen) return take({ model, ...chosen, waitMs: 0, withoutSealed });
        const unsealed = unseal();
        if (unsealed) return unsealed;
      }
      return undefined;
    },
  };
}

function repeatWait(tools: RelayTools, { outcome, retryAfterS }: AttemptFailed): number | undefined {
  const { again } = OUTCOMES[outcome];
  if (again === 'soon') return JITTER_MS.least + tools.random.fraction() * JITTER_MS.spread;
  const isTold = again === 'as_told' && retryAfterS !== undefined && retryAfterS <= LONGEST_RETRY_AFTER_S;
  return isTold ? retryAfterS * 1000 : undefined;
}

/** Of a conversation that its caller has no name for, and that must stay with who began it. */
function nameByStart({ dialect, request, key }: Call): string | undefined {
  const start = dialect.conversationStart?.(request.document.value);
  return start === undefined ? undefined : createHash('sha256').update(`${key.accountId}\n${start}`).digest('hex');
}

type Choice = Pick<Step, 'route' | 'pass'>;

interface Choosing {
  tried: ReadonlyMap<string, number>;
  passedOver: Set<Route>;
  conversationName: string | undefined;
}

/** By priority, then by weight; a conversation keeps to its channel, so that the upstream's prompt cache stays warm. */
function chooseRoute(
  tools: RelayTools,
  call: Call,
  model: Model,
  { tried, passedOver, conversationName }: Choosing,
): Choice | undefined {
  let candidates = model.routes.filter(
    ({ channel }) => !tried.has(channel.name) && canReach(call.dialect, channel.endpoints),
  );
  while (candidates.length > 0) {
    const priority = Math.min(...candidates.map((route) => route.priority));
    const equals = candidates.filter((route) => route.priority === priority);
    const route = conversationName === undefined ? byWeight(tools, equals) : byConversation(conversationName, equals);
    if (!route) return undefined;
    const isCarried = !(call.carriers.find(model, route) instanceof Fault);
    const pass = isCarried ? tools.health.admits(route.channel.name, route.model) : undefined;
    if (pass) return { route, pass };
    if (isCarried) passedOver.add(route);
    candidates = candidates.filter((other) => other !== route);
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

/** Each conversation ranks the channels in an order of its own, in proportion to their weights. */
function byConversation(conversationName: string, routes: readonly Route[]): Route | undefined {
  const score = ({ channel, weight }: Route) => {
    const hash = createHash('sha256').update(`${conversationName}\n${channel.name}`).digest();
    return -weight / Math.log((hash.readUInt32BE(0) + 1) / 2 ** 32 / 1.000001);
  };
  return routes.toSorted((a, b) => score(b) - score(a))[0];
}
