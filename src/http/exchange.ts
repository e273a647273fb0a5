// One request on its way through the API, and what every handler may use.

import type { EventIds } from '../accounts/events/public-event.ts';
import type { Authenticator, PresentedKey } from '../accounts/keys/authenticator.ts';
import type { PricesAt } from '../accounts/prices-at.ts';
import type { Quotes } from '../accounts/quotes.ts';
import type { TestTools } from '../accounts/webhooks/manage-webhooks.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { PublicStatus } from '../catalog/publishing/public-status.ts';
import type { FaultLabel } from '../faults/fault.ts';
import type { Envelope } from '../faults/write.ts';
import type { Network } from '../kit/address.ts';
import type { Clock } from '../kit/clock.ts';
import type { Connection } from '../kit/connection.ts';
import type { BeginIdempotency } from '../kit/idempotency.ts';
import type { NewId } from '../kit/ids.ts';
import type { Log } from '../kit/log.ts';
import type { Random } from '../kit/random.ts';
import type { Sealer } from '../kit/sealed.ts';
import type { AddressGuards, CountKeyChange, QuoteGuard } from '../limits/guards.ts';
import type { LargeWork } from '../limits/large-work.ts';
import type { Load } from '../limits/load.ts';
import type { RefusalLog } from '../limits/refusal-log.ts';
import type { RelayTools } from '../relay/call.ts';
import type { Store } from '../store/store.ts';
import type { RunningCalls } from './mcp/running-calls.ts';
import type { EventStreams } from './routes/events.ts';
import type { OpenSockets } from './sockets/open-sockets.ts';

export interface HttpTools {
  store: Store;
  clock: Clock;
  random: Random;
  newId: NewId;
  log: Log;
  authenticator: Authenticator;
  catalog(): Catalog;
  pricesAt: PricesAt;
  quotes: Quotes;
  eventIds: EventIds;
  eventStreams: EventStreams;
  webhooks: TestTools;
  relay: RelayTools;
  status(): Promise<PublicStatus>;
  publicUrl: string;
  siteName: string;
  trustedProxies: readonly Network[];
  /** Keyed hash of a client's address. */
  hashAddress(subject: string): string;
  hashCard(code: string): string;
  beginIdempotency: BeginIdempotency;
  addressGuards: AddressGuards;
  largeWork: LargeWork;
  quoteGuard: QuoteGuard;
  /** For summaries that a client keeps. */
  sealer: Sealer;
  countKeyChange: CountKeyChange;
  /** Counts a fault that a client gets. */
  countFault(label: FaultLabel): void;
  /** Keeps a refused request for the operator. */
  recordRefusal: RefusalLog['record'];
  load: Load;
  /** False while draining. */
  isReady(): boolean;
  /** A drain has begun: load balancers should use another node, also while this one still accepts work. */
  isLeaving(): boolean;
  /** False when the store has not answered for a while, or takes no writes. */
  hasStore(): boolean;
  /** Names this gateway in calls to upstreams. */
  gatewayId: string;
  /** Serves a request that a tool call of an MCP client or a message on a socket became, as if the client had sent it. */
  dispatch(request: Request, connection: Connection): Response | Promise<Response>;
  mcpCalls: RunningCalls;
  sockets: OpenSockets;
}

export interface Exchange {
  request: Request;
  /** As the routes know it. */
  path: string;
  requestId: string;
  envelope: Envelope;
  connection: Connection;
  params: Readonly<Record<string, string>>;
  /** Method and path, as the table of routes has them; undefined if there is no such route. */
  route?: string;
  /** `model` of the body, once it was read: any JSON value. */
  requestedModel?: unknown;
  /** A call that was admitted has a usage record; it was not refused. */
  wasAdmitted?: boolean;
}

export interface KeyedExchange extends Exchange {
  /** As it was when the headers arrived; it is checked again when the body is complete. */
  key: PresentedKey;
}
