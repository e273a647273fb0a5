// How a call is sent on a route, determined once for each route that is considered. A route that cannot carry the call is
// skipped; if none can, the client gets the reason before anything is reserved.

import { type Catalog, type Model, type Route, tokenBounds } from '../catalog/catalog.ts';
import { lostBetas } from '../dialects/anthropic-messages/betas.ts';
import type { Carrier } from '../dialects/carrier.ts';
import { canReach, carry, type Sender } from '../dialects/carry.ts';
import { type Dialect, type RelayRequest, THINKING_BUDGET } from '../dialects/dialect.ts';
import { Fault, fault } from '../faults/fault.ts';
import { fitsThinking } from '../ledger/thinking-budget.ts';
import { takesBetas } from '../vendors/claude-hosts.ts';
import { isReached, type Models } from './choose-model.ts';
import { noChannel } from './no-channel.ts';

interface CarrierOptions extends Sender {
  dialect: Dialect;
  request: RelayRequest;
  /** Headers of the client that an upstream of its own dialect may see. */
  headers: Readonly<Record<string, string>>;
  /** `x-svc-strict`: refuse the call instead of dropping a setting. */
  isStrict: boolean;
}

const NOTHING: readonly string[] = [];

/** One for each call. */
export class Carriers {
  readonly #options: CarrierOptions;
  readonly #found = new Map<Route, Carrier | Fault>();

  constructor(options: CarrierOptions) {
    this.#options = options;
  }

  /** The carrier to a model by one of its routes, or why there is none. */
  find(model: Model, route: Route): Carrier | Fault {
    const known = this.#found.get(route);
    if (known) return known;
    const found = this.#carry(model, route);
    this.#found.set(route, found);
    return found;
  }

  #carry({ contextTokens, maxOutputTokens, prices }: Model, route: Route): Carrier | Fault {
    const { dialect, request, headers, isStrict } = this.#options;
    try {
      const { rules } = prices;
      const listed = rules && { serviceTiers: rules.serviceTiers, toolPrices: rules.tools };
      const carrier = carry(dialect, request, route, listed ? { ...this.#options, ...listed } : this.#options);
      // Other upstreams get no beta header.
      const betas = takesBetas(route.channel.kind) ? lostBetas(headers, contextTokens) : NOTHING;
      if (betas.length > 0) carrier.dropped = [...carrier.dropped, ...betas];
      return isStrict ? strictCarrier(carrier, request.maxOutputTokens ?? maxOutputTokens) : carrier;
    } catch (error) {
      if (error instanceof Fault) return error;
      throw error;
    }
  }
}

/** The carrier that sends every setting, or the fault that names those that none sends. */
function strictCarrier(carrier: Carrier, maxOutputTokens: number): Carrier | Fault {
  const lost = [...carrier.dropped, ...(carrier.droppedAt?.(maxOutputTokens) ?? NOTHING)];
  if (lost.length === 0) return carrier;
  return carrier.plainCarrier ? strictCarrier(carrier.plainCarrier, maxOutputTokens) : lostSettings(lost);
}

interface Carried {
  dialect: Dialect;
  carriers: Carriers;
}

/** Before the rest of the body is read: whether any of the models can be reached in the caller's dialect. */
export function requireRoute(models: Models, dialect: Dialect): void {
  for (const model of models) if (isReached(model, dialect)) return;
  const [{ id, routes }] = models;
  // Its channels are switched off for now; the same call may succeed later.
  if (routes.length === 0) throw noChannel({ internal: `every channel of ${id} is switched off` });
  throw fault('unsupported_endpoint', { param: 'model', hint: `No channel of ${id} serves this endpoint.` });
}

/** Refuses a thinking budget that the model would have to lower even without limits of money. */
export function requireThinkingFits(model: Model, catalog: Catalog, request: RelayRequest): void {
  if (!fitsThinking(request, tokenBounds(model, catalog).output, true)) throw lostSettings([THINKING_BUDGET]);
}

function lostSettings(names: readonly string[]): Fault {
  return fault('invalid_request', {
    param: names[0],
    message: `This model does not accept ${names.join(', ')}. Remove it, or send the request without x-svc-strict.`,
  });
}

/** The first carrier, or the reason why no route of these models can carry the call. */
export function findCarrier(models: readonly Model[], { dialect, carriers }: Carried): Carrier | Fault {
  let refusal: Fault | undefined;
  for (const model of models) {
    for (const route of model.routes) {
      if (!canReach(dialect, route.endpoints)) continue;
      const found = carriers.find(model, route);
      if (!(found instanceof Fault)) return found;
      refusal ??= found;
    }
  }
  return refusal ?? fault('unsupported_endpoint', { param: 'model' });
}
