// Decides where a call goes next: the model, the route and the wait before it. It knows retries and fallbacks, and sends nothing.

import { createHash } from 'node:crypto';
import type { Model, Route } from '../catalog/catalog.ts';
import type { Permit } from '../channels/health.ts';
import { mayPrefill } from '../dialects/may-prefill.ts';
import { Fault } from '../faults/fault.ts';
import type { AttemptFailed } from './attempt-failed.ts';
import type { Call, RelayTools } from './call.ts';
import { chooseRoute, rankRoutes } from './choose-route.ts';
import { OUTCOMES } from './outcomes.ts';

/** A model and one of its routes. */
export interface ChosenRoute {
  model: Model;
  route: Route;
}

export interface Step extends ChosenRoute {
  waitMs: number;
  /** For reporting the outcome to the channel's health. */
  permit: Permit;
  /** Sealed reasoning is removed: every route of the model refused it. */
  withoutSealed: boolean;
  /** The upstream's special call for such requests failed: the request is sent without it. */
  isPlain?: true;
}

const MAX_ON_ONE_MODEL = 3;
const MAX_IN_ALL = 6;
const MAX_RETRY_AFTER_S = 5;
const NO_CHANNELS: ReadonlySet<string> = new Set();
const JITTER_MS = { least: 50, spread: 200 };

export class Plan {
  /** Whether some route can continue an answer that another began. */
  readonly mayPrefill: boolean;
  readonly #tools: RelayTools;
  readonly #call: Call;
  /** How often each channel was tried for the current model, by its name. */
  readonly #tried = new Map<string, number>();
  /** Channels that failed for an earlier model: a fallback tries them last. */
  #failedBefore: Set<string> | undefined;
  #refusesPrefill: Set<Route> | undefined;
  #blocked: Set<Route> | undefined;
  /** The index of the current model in the candidates. */
  #modelIndex = 0;
  #triesOnModel = 0;
  #triesInAll = 0;
  #last: Step | undefined;
  /** The last step whose channel refused sealed reasoning; and whether that is now removed. */
  #sealed: Step | undefined;
  #withoutSealed = false;
  /** The last step whose special call failed: it can be sent with its plain carrier. */
  #specialCallFailed: Step | undefined;
  #conversationName: string | undefined;

  constructor(call: Call) {
    this.#tools = call.tools;
    this.#call = call;
    const { stream, document } = call.request;
    this.mayPrefill = stream && call.candidates.some(hasPrefill) && mayPrefill(document.value);
  }

  /** Whether this route can. */
  canPrefill(route: Route): boolean {
    return this.mayPrefill && route.prefill && !this.#refusesPrefill?.has(route);
  }

  /** The next attempt, given why the last one failed; undefined when there is none. */
  next(failure?: AttemptFailed): Step | undefined {
    if (this.#triesInAll >= MAX_IN_ALL) return undefined;
    const retry = failure && this.#retry(failure);
    if (retry) return retry;
    if (failure?.isSealed) this.#sealed = this.#last;
    if (failure && this.#last && this.#hasPlainCarrier(this.#last)) this.#specialCallFailed = this.#last;
    if (failure?.isTooLong) {
      // The channel may serve another model with a longer context.
      if (this.#last) this.#tried.delete(this.#last.route.channel.name);
      this.#nextModel();
    }
    const { candidates } = this.#call;
    for (; this.#modelIndex < candidates.length; this.#nextModel()) {
      const model = candidates[this.#modelIndex];
      const chosen = model && this.#triesOnModel < MAX_ON_ONE_MODEL ? this.#choose(model) : undefined;
      if (chosen) return this.#take(chosen);
      const changed = this.#retryUnsealed() ?? this.#retryPlain();
      if (changed) return changed;
    }
    // A hedge may have used up the models before this failure.
    return this.#retryPlain();
  }

  /** The last route at once, without the prefill that it refused. */
  retrySameRoute(): Step | undefined {
    if (!this.#last) return undefined;
    this.#refusesPrefill ??= new Set();
    this.#refusesPrefill.add(this.#last.route);
    return this.#triesInAll >= MAX_IN_ALL ? undefined : this.#retryNow(this.#last);
  }

  /** How long until the first route whose breaker is open may be tried. */
  blockedForMs(): number | undefined {
    if (!this.#blocked) return undefined;
    const { health } = this.#tools;
    return Math.min(
      ...Array.from(this.#blocked, ({ channel, model }) => health.blockedForMs(channel.name, model, this.#account)),
    );
  }

  /** The caller wants no other channel of a model than the first. */
  get #isOnOneChannel(): boolean {
    const preferences = this.#call.routing?.channels;
    return preferences !== undefined && !preferences.allowFallbacks && !preferences.order;
  }

  get #account(): string {
    return this.#call.key.accountId;
  }

  #take(step: Step): Step {
    this.#tried.set(step.route.channel.name, this.#triesOn(step.route) + 1);
    this.#triesOnModel++;
    return this.#go(step);
  }

  #go(step: Step): Step {
    this.#triesInAll++;
    this.#last = step;
    return step;
  }

  #triesOn({ channel }: Route): number {
    return this.#tried.get(channel.name) ?? 0;
  }

  /** The last route again, unless it was tried twice or its breaker has opened. */
  #retry(failure: AttemptFailed): Step | undefined {
    const { health, retryBudget, running } = this.#tools;
    const last = this.#last;
    const waitMs = retryWait(this.#tools, failure);
    if (!last || waitMs === undefined || this.#triesOnModel >= MAX_ON_ONE_MODEL) return undefined;
    if (this.#triesOn(last.route) > 1 || this.#needsAllTries(last.model)) return undefined;
    const { channel, model } = last.route;
    const hasWaited = OUTCOMES[failure.outcome].retry === 'after_wait';
    const permit = hasWaited
      ? health.forceAcquire(channel.name, model, this.#account)
      : health.tryAcquire(channel.name, model, this.#account, last.permit);
    if (!permit) return undefined;
    if (retryBudget.take(running.size)) return this.#take({ ...last, waitMs, permit });
    health.forget(permit);
    return undefined;
  }

  /** There are as many other channels as tries left: each of them is worth more than a second try of the last one. */
  #needsAllTries(model: Model): boolean {
    const { health } = this.#tools;
    const left = MAX_ON_ONE_MODEL - this.#triesOnModel;
    if (model.routes.length <= left || this.#isOnOneChannel) return false;
    const others = rankRoutes(model, this.#call.dialect)
      .flat()
      .filter((route) => this.#triesOn(route) === 0)
      .filter(({ channel, model }) => !health.blockedForMs(channel.name, model, this.#account));
    return new Set(others.map(({ channel }) => channel.name)).size >= left;
  }

  /** Without a wait, and not counted for the channel or the model. */
  #retryNow(step: Step): Step {
    const { channel, model } = step.route;
    const permit = this.#tools.health.forceAcquire(channel.name, model, this.#account);
    return this.#go({ ...step, waitMs: 0, permit, withoutSealed: this.#withoutSealed });
  }

  /** The last route again without the sealed reasoning that it refused: better than no answer. */
  #retryUnsealed(): Step | undefined {
    if (!this.#sealed || this.#withoutSealed || this.#call.isStrict) return undefined;
    this.#withoutSealed = true;
    return this.#retryNow(this.#sealed);
  }

  #hasPlainCarrier({ model, route, isPlain }: Step): boolean {
    const carrier = this.#call.carriers.find(model, route);
    return !isPlain && !(carrier instanceof Fault) && carrier.plainCarrier !== undefined;
  }

  #retryPlain(): Step | undefined {
    const step = this.#specialCallFailed;
    this.#specialCallFailed = undefined;
    return step && this.#retryNow({ ...step, isPlain: true });
  }

  #nextModel(): void {
    if (this.#tried.size > 0) {
      this.#failedBefore ??= new Set();
      for (const name of this.#tried.keys()) this.#failedBefore.add(name);
      this.#tried.clear();
    }
    this.#modelIndex++;
    this.#triesOnModel = 0;
    this.#sealed = undefined;
    this.#specialCallFailed = undefined;
  }

  #choose(model: Model): Step | undefined {
    if (model.routes.length > 1) this.#conversationName ??= this.#call.conversationName ?? conversationHash(this.#call);
    const step = this.#failedBefore && this.#chooseExcept(model, this.#failedBefore);
    return step ?? this.#chooseExcept(model, NO_CHANNELS);
  }

  /** A route that was not tried for this model, on a channel that is not one of `avoided`. */
  #chooseExcept(model: Model, avoided: ReadonlySet<string>): Step | undefined {
    if (this.#tried.size > 0 && this.#isOnOneChannel) return undefined;
    for (const equals of rankRoutes(model, this.#call.dialect)) {
      let left = this.#tried.size + avoided.size > 0 ? untried(equals, this.#tried, avoided) : equals;
      while (left.length > 0) {
        const route = chooseRoute(left, this.#conversationName, this.#tools.random);
        if (!route) return undefined;
        const permit = this.#admit(model, route);
        if (permit) return { model, route, waitMs: 0, permit, withoutSealed: this.#withoutSealed };
        left = without(left, route);
      }
    }
    return undefined;
  }

  /** Undefined if the route cannot carry the call, or its breaker is open. */
  #admit(model: Model, route: Route): Permit | undefined {
    if (this.#call.carriers.find(model, route) instanceof Fault) return undefined;
    const permit = this.#tools.health.tryAcquire(route.channel.name, route.model, this.#account);
    if (permit) return permit;
    this.#blocked ??= new Set();
    this.#blocked.add(route);
    return undefined;
  }
}

function hasPrefill({ routes }: Model): boolean {
  return routes.some(({ prefill }) => prefill);
}

function untried(
  routes: readonly Route[],
  tried: ReadonlyMap<string, number>,
  avoided: ReadonlySet<string>,
): readonly Route[] {
  return routes.filter(({ channel }) => !tried.has(channel.name) && !avoided.has(channel.name));
}

function without(routes: readonly Route[], route: Route): readonly Route[] {
  return routes.filter((other) => other !== route);
}

function retryWait(tools: RelayTools, { outcome, retryAfterS }: AttemptFailed): number | undefined {
  const { retry } = OUTCOMES[outcome];
  if (retry === 'soon') return JITTER_MS.least + tools.random.fraction() * JITTER_MS.spread;
  if (retry !== 'after_wait' || retryAfterS === undefined || retryAfterS > MAX_RETRY_AFTER_S) return undefined;
  return retryAfterS * 1000;
}

/** For a conversation without a name that must stay on one channel. */
function conversationHash({ dialect, request, key }: Call): string | undefined {
  const start = dialect.request.conversationStart?.(request.document.value);
  return start === undefined ? undefined : createHash('sha256').update(`${key.accountId}\n${start}`).digest('hex');
}
