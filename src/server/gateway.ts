// The composition: every part gets its dependencies here, and nowhere else. start-gateway.ts calls it; life-cycle.ts
// decides when it starts and stops. Tests start the same gateway with their own clock, fetch or port.

import { createCardHasher } from '../accounts/card-code.ts';
import { createEventWatch } from '../accounts/events/event-watch.ts';
import { createEventIds } from '../accounts/events/public-event.ts';
import { createAuthenticator } from '../accounts/keys/authenticator.ts';
import { createPriceLists, createPricesAt } from '../accounts/prices-at.ts';
import { createQuotes } from '../accounts/quotes.ts';
import { createCodeMemory } from '../admin/actions/cards.ts';
import type { OperatingTools } from '../admin/actions/tools.ts';
import type { Metrics } from '../admin/metrics/metrics.ts';
import { countFaults, countLosses, countRefusals, readCards } from '../admin/metrics/request-metrics.ts';
import { readState, readStore } from '../admin/metrics/state-metrics.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { defaultDocument } from '../catalog/default-document.ts';
import { createPublicStatus } from '../catalog/publishing/public-status.ts';
import { catalogBeforeStart } from '../catalog/publishing/starting-document.ts';
import { createHealth } from '../channels/health.ts';
import { createFetchPost, type Post } from '../channels/post-message.ts';
import { createRecentErrors } from '../channels/recent-errors.ts';
import { createTraffic } from '../channels/traffic.ts';
import type { UpstreamBalances } from '../channels/upstream-balances.ts';
import { createApp } from '../http/app.ts';
import type { HttpTools } from '../http/exchange.ts';
import { RunningCalls } from '../http/mcp/running-calls.ts';
import { bodyTextReader, pause } from '../http/read-body.ts';
import { createEventStreams } from '../http/routes/events.ts';
import { OpenSockets } from '../http/sockets/open-sockets.ts';
import { createAlarms } from '../kit/alarms.ts';
import { assert } from '../kit/assert.ts';
import type { Clock } from '../kit/clock.ts';
import { NO_CONNECTION } from '../kit/connection.ts';
import { createIdempotency } from '../kit/idempotency.ts';
import { createIds } from '../kit/ids.ts';
import { createLog, type Log } from '../kit/log.ts';
import type { Random } from '../kit/random.ts';
import { createHasher, createSealer } from '../kit/sealed.ts';
import { createLedger } from '../ledger/ledger.ts';
import { createAddressGuards, createKeyChangeCounter, createQuoteGuard } from '../limits/guards.ts';
import { createLargeWork } from '../limits/large-work.ts';
import { Load } from '../limits/load.ts';
import { createRefusalLog } from '../limits/refusal-log.ts';
import type { Store } from '../store/store.ts';
import { createConsoleTools, createSiteTools } from './page-tools.ts';
import { openPorts, type Ports } from './ports/open-ports.ts';
import { hostOfProcesses } from './processes/processes.ts';
import { createRelayTools, type OutboundTools } from './relay-tools.ts';
import { createGatewayId } from './settings/gateway-id.ts';
import type { Settings } from './settings/settings.ts';
import { createLifeCycle, type StartedGateway } from './start/life-cycle.ts';
import type { StartingStore } from './start/open-at-start.ts';
import { startNode } from './start/start-node.ts';
import { countUnanswered } from './start/unanswered.ts';
import { createAlarmWebhook, createWebhookTools } from './webhook-tools.ts';

export interface GatewayOptions extends OutboundTools {
  clock?: Clock;
  random?: Random;
  writeLog(line: string): void;
  /** Ends a start that waits for its PostgreSQL, with StartEnded. After the start, use drain(). */
  signal?: AbortSignal;
  /** Only for tests: the maximum size of the embedded database in pages, to simulate a full disk. */
  maxPages?: number;
  /**
   * Only for tests: how long an admission may wait for its commit to begin, so that a slow disk does not decide the
   * result.
   */
  patienceMs?: number;
  /** Only for tests: how long a connection may be idle, or take to send the headers of another request. */
  idleSeconds?: number;
  /** Only for the simulation, whose nodes share one process and have no network. */
  simulated?: { host: string; openPorts: () => Ports; postWebhook: Post };
}

export interface Gateway extends Omit<StartedGateway, 'ports'>, Pick<Ports, 'url' | 'port' | 'adminUrl'> {
  log: Log;
  store: Store;
  fetch(request: Request): Promise<Response>;
}

/** Parts that exist before the composition. */
interface Beginning {
  clock: Clock;
  random: Random;
  metrics: Metrics;
  /** The text of the catalog file, if there is one. */
  fileBefore: string | undefined;
  starting: StartingStore;
}

export async function composeGateway(
  settings: Settings,
  options: GatewayOptions,
  { clock, random, metrics, fileBefore, starting }: Beginning,
): Promise<Gateway> {
  const { idleSeconds } = options;
  const log = createLog(clock, options.writeLog);
  const alarms = createAlarms(log);
  const newId = createIds(clock, random);
  const { store, pepper } = starting;
  const { publicUrl, siteName, trustedProxies } = settings;
  const identity = { nodeId: newId('node'), host: options.simulated?.host ?? hostOfProcesses(), pid: process.pid };
  const { nodeId } = identity;
  const life = createLifeCycle({
    clock,
    log,
    alarms,
    nodeId,
    publicUrl,
    starting,
    drainMs: settings.drainSeconds * 1_000,
    noticeMs: settings.drainNoticeSeconds * 1_000,
  });
  const sealer = createSealer(pepper, random);
  alarms.attach('database', (alarm) => starting.newest().recordAlarm(alarm, clock.now()));
  const { alarmWebhookUrl, alarmWebhookSecret } = settings;
  if (alarmWebhookUrl !== undefined) {
    const tools = { post: createFetchPost(options.fetch), clock, newId };
    alarms.attach('webhook', createAlarmWebhook(tools, alarmWebhookUrl, alarmWebhookSecret));
  }
  const embedded = JSON.stringify(defaultDocument(settings.providers));
  const shownBefore = starting.away === undefined ? undefined : catalogBeforeStart(fileBefore, embedded, clock.now());
  const catalog = (): Catalog => {
    const shown = life.node()?.catalog() ?? shownBefore;
    assert(shown, 'nobody asks for the catalog before the ports are open');
    return shown;
  };
  const authenticator = createAuthenticator(store, clock, pepper);
  const traffic = createTraffic(clock);
  const refusals = createRefusalLog(clock, nodeId);
  const countRefusal = countRefusals(metrics);
  const health = createHealth(clock);
  const errors = createRecentErrors(clock);
  const balances: UpstreamBalances = new Map();
  const status = createPublicStatus({ store, clock, catalog, health, traffic });
  const lossMeter = countLosses(metrics);
  const ledger = createLedger({ store, clock, alarms, lossMeter, lease: () => life.node()?.lease });
  const gatewayId = createGatewayId(pepper);
  const relay = createRelayTools(settings, options, {
    clock,
    random,
    newId,
    log,
    alarms,
    metrics,
    health,
    errors,
    traffic,
    ledger,
    authenticator,
    life,
    sealer,
    pepper,
    nodeId,
    gatewayId,
    publicUrl,
  });
  const eventWatch = createEventWatch(store);
  const eventIds = createEventIds(pepper);
  const post = options.simulated?.postWebhook;
  const webhooks = createWebhookTools(settings, { store, clock, random, newId, sealer, eventIds, post });
  const priceListAt = createPriceLists(store);
  const http: HttpTools = {
    store,
    clock,
    random,
    newId,
    log,
    authenticator,
    catalog,
    pricesAt: createPricesAt({ priceListAt, catalog }),
    quotes: createQuotes({ store, clock, catalog, priceListAt, pepper, pause }),
    eventIds,
    webhooks,
    eventStreams: createEventStreams(eventWatch),
    status,
    relay,
    publicUrl,
    siteName,
    trustedProxies,
    hashAddress: createHasher(pepper, 'address'),
    hashCard: createCardHasher(pepper),
    beginIdempotency: createIdempotency(pepper, random),
    isReady: life.isReady,
    isLeaving: life.isLeaving,
    hasStore: () => life.node()?.hasStore() ?? false,
    gatewayId,
    sealer,
    dispatch: (request, connection) => respond(request, connection),
    mcpCalls: new RunningCalls(),
    sockets: new OpenSockets(),
    addressGuards: createAddressGuards(clock),
    largeWork: createLargeWork(clock),
    quoteGuard: createQuoteGuard(clock),
    countKeyChange: createKeyChangeCounter(clock),
    countFault: countFaults(metrics),
    recordRefusal(refusal) {
      countRefusal(refusal);
      refusals.record(refusal);
    },
    load: new Load({
      get requests() {
        return catalog().guards.requests_in_flight;
      },
      get bodyBytes() {
        return catalog().guards.body_megabytes_in_flight * 1024 * 1024;
      },
    }),
  };
  const { securityContact, supportContact, termsUrl, privacyUrl } = settings;
  const app = createApp(http, async () => {
    const { addSite } = await import('../site/site.ts');
    const site = createSiteTools(http, { pepper, securityContact, supportContact, termsUrl, privacyUrl });
    return (pages) => addSite(pages, site);
  });
  const unanswered = countUnanswered(life.isLeaving);
  const respond = unanswered.counted(app.fetch);

  const operating: OperatingTools = {
    store,
    clock,
    random,
    newId,
    sealer,
    hashKey: authenticator.hash,
    hashCard: http.hashCard,
    findUpstream: relay.findUpstream,
    publicUrl,
    node: { health, traffic, errors, balances, lastAudit: () => life.node()?.lastAudit() },
    codes: createCodeMemory(clock),
    follow: async () => life.node()?.follow(),
  };
  const readBody = bodyTextReader(clock);
  const { hasStore, isLeaving } = http;
  readCards(metrics, { store, clock });
  readStore(metrics, { store, clock, hasStore, closing: ledger.closing });
  readState(metrics, {
    health,
    balances,
    alarms,
    catalog,
    isReady: () => !isLeaving() && hasStore(),
    isUnbalanced: relay.isUnbalanced,
  });

  const openOwnPorts = () =>
    openPorts(settings, {
      respond,
      operator: { clock, random, log, newId, metrics, operating, readBody },
      loadConsole: async () => {
        const { addConsole } = await import('../admin/console/console.tsx');
        return (pages, check) => addConsole(pages, createConsoleTools(operating, check, { siteName, log }));
      },
      counted: unanswered.counted,
      idleSeconds,
    });

  const { ports, ...living } = await life.begin({
    startNode: (opened) =>
      startNode({
        settings,
        store: opened,
        embedded,
        sealer,
        clock,
        log,
        alarms,
        authenticator,
        eventWatch,
        webhooks,
        traffic,
        refusals,
        lossMeter,
        random,
        findUpstream: relay.findUpstream,
        balances,
        node: identity,
      }),
    openPorts: options.simulated?.openPorts ?? openOwnPorts,
    work: { running: relay.running, unanswered, closing: ledger.closing, sockets: http.sockets },
  });
  const { url, port, adminUrl } = ports;
  return { url, port, adminUrl, log, store, fetch: async (request) => respond(request, NO_CONNECTION), ...living };
}
