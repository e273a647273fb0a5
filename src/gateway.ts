// The composition: every room gets what it needs here, and nowhere else. Tests start the same gateway with a clock, a
// fetch or a port of their own.

import packageJson from '../package.json' with { type: 'json' };
import { listenForOperator } from './admin-listener.ts';
import { createAlarmWebhook } from './alarm-webhook.ts';
import { createCardHasher } from './cards/card-code.ts';
import type { Catalog } from './catalog/catalog.ts';
import { defaultDocument } from './catalog/default-document.ts';
import { createFetchMedia, type MediaOptions } from './channels/fetch-media.ts';
import { createHealth } from './channels/health.ts';
import { type Connect, connectTcp } from './channels/limit-connect.ts';
import { createRecentErrors } from './channels/recent-errors.ts';
import { createRetryBudget } from './channels/retry-budget.ts';
import { createTraffic } from './channels/traffic.ts';
import type { Fetch } from './channels/upstream.ts';
import { createUpstreams } from './channels/upstreams.ts';
import type { Settings } from './config.ts';
import { createConsoleTools, tokenCheck } from './console-tools.ts';
import { Fault } from './faults/fault.ts';
import { createGatewayId } from './gateway-id.ts';
import { createApp } from './http/app.ts';
import type { HttpTools } from './http/exchange.ts';
import { createDoorGuards } from './http/guard-doors.ts';
import { checkDeclaredBody, readBodyText } from './http/read-body.ts';
import { LEASE_MS } from './jobs/keep-lease.ts';
import { createAuthenticator } from './keys/authenticator.ts';
import { createAlarms } from './kit/alarms.ts';
import { assert } from './kit/assert.ts';
import { type Clock, sleep, systemClock } from './kit/clock.ts';
import { armFailpoint } from './kit/failpoint.ts';
import { createIdempotency } from './kit/idempotency.ts';
import { createIds } from './kit/ids.ts';
import { createLog, type Log } from './kit/log.ts';
import { createMetrics } from './kit/metrics.ts';
import { type Random, systemRandom } from './kit/random.ts';
import { createHasher, createSealer } from './kit/sealed.ts';
import { createLedger } from './ledger/ledger.ts';
import { createLoad } from './limits/load.ts';
import { createRecentRefusals } from './limits/recent-refusals.ts';
import { listen, type Server } from './listen.ts';
import { openStore } from './open-store.ts';
import { createCodeMemory } from './operating/code-memory.ts';
import type { OperatingTools } from './operating/tools.ts';
import { countFaults } from './operator/metrics/fault-metrics.ts';
import { readProcess } from './operator/metrics/process-metrics.ts';
import { countRequests } from './operator/metrics/request-metrics.ts';
import { readState } from './operator/metrics/state-metrics.ts';
import { countBatches, readStore } from './operator/metrics/store-metrics.ts';
import { hostOfProcesses } from './processes.ts';
import { createPublicStatus } from './publishing/public-status.ts';
import { catalogBeforeStart } from './publishing/starting-document.ts';
import { readConfig } from './read-config.ts';
import { createCut } from './relay/cut.ts';
import { createSecretResolver } from './resolve-secret.ts';
import { addConsole } from './site/console/console.tsx';
import { addSite } from './site/site.ts';
import { createSiteTools } from './site-tools.ts';
import { type RunningNode, startNode } from './start-node.ts';
import { createLateStore } from './store/late-store.ts';
import type { Store } from './store/store.ts';

export interface GatewayOptions {
  clock?: Clock;
  random?: Random;
  /** How upstreams are reached. */
  fetch: Fetch;
  /** How to find out whether an upstream can be reached at all. */
  connect?: Connect;
  /** How media that clients only name are fetched. */
  media?: MediaOptions;
  writeLog(line: string): void;
  demoPaceMs?: number;
  /** Only for tests: a disk with room for so many pages of the embedded database. */
  maxPages?: number;
  /** Only for tests: how long a connection may take over the headers of a request. */
  idleSeconds?: number;
}

export interface Gateway {
  url: string;
  port: number;
  /** Of the operator's listener. */
  adminUrl: string;
  log: Log;
  store: Store;
  fetch(request: Request): Promise<Response>;
  /** True as soon as it serves, later than its ports are open if the database could not be reached at first; false if it
   * was drained before. Rejects with StartRefused or StoreRefused. */
  served: Promise<boolean>;
  /** Applies the configuration file again, as SIGHUP asks. */
  reload(): Promise<void>;
  /** Refuses new work, lets running requests end within `ms`, cuts the rest, and stops. */
  drain(ms?: number): Promise<void>;
}

const DRAIN_MS = 120_000;
const CLOSE_MS = 15_000;
const DRAIN_POLL_MS = 20;
const AGAIN_MS = 1_000;
const HUMAN_PACE_MS = 25;

export async function startGateway(settings: Settings, options: GatewayOptions): Promise<Gateway> {
  const { fetch, connect = connectTcp, clock = systemClock, random = systemRandom } = options;
  const { demoPaceMs = HUMAN_PACE_MS, media } = options;
  const log = createLog(clock, options.writeLog);
  const alarms = createAlarms(log);
  const newId = createIds(clock, random);
  armFailpoint(settings.killOrder);
  const metrics = createMetrics();
  const stopping = new AbortController();
  const whenStopping = new Promise<undefined>((resolve) => {
    stopping.signal.addEventListener('abort', () => resolve(undefined));
  });
  const { promise: whenAway, resolve: onAway } = Promise.withResolvers<string>();
  const { maxPages } = options;
  // Of several processes only the first one waits: another would take a share of the port and refuse it.
  const wait = (settings.processIndex ?? 0) === 0 ? { onAway, signal: stopping.signal } : undefined;
  const { configFile } = settings;
  const fileBefore = configFile === undefined ? undefined : readConfig(configFile);
  const meter = countBatches(metrics);
  const open = () => openStore(settings, clock, random, { maxPages, meter, wait });
  let opening = open();
  const late = whenAway.then((why) => ({ why, pepper: settings.pepper, ...createLateStore() }));
  const first = await Promise.race([opening, late]);
  const away = 'why' in first ? first : undefined;
  const { store, pepper } = first;
  assert(pepper !== undefined, 'only a database with a pepper of its own is waited for');
  // Comes as late as the store.
  let node: RunningNode | undefined;
  const sealer = createSealer(pepper, random);
  let recording = store;
  alarms.attach('database', (alarm) => recording.recordAlarm(alarm, clock.now()));
  const { alarmWebhookUrl } = settings;
  if (alarmWebhookUrl !== undefined) alarms.attach('webhook', createAlarmWebhook(alarmWebhookUrl, fetch, clock));
  const embedded = JSON.stringify(defaultDocument(settings.providers));
  const shownBefore = away && catalogBeforeStart(fileBefore, embedded, clock.now());
  const catalog = (): Catalog => {
    const shown = node?.catalog() ?? shownBefore;
    assert(shown, 'nobody asks for the catalog before the ports are open');
    return shown;
  };
  const authenticator = createAuthenticator(store, clock, pepper);
  const identity = { nodeId: newId('node'), host: hostOfProcesses(), pid: process.pid };
  const { nodeId } = identity;
  const traffic = createTraffic(clock);
  const health = createHealth(clock);
  const errors = createRecentErrors(clock);
  const status = createPublicStatus({ store, clock, catalog, health, traffic });
  const cut = new AbortController();
  const ledger = createLedger({ store, clock, alarms, lease: () => node?.lease });
  const running = new Set<string>();
  const gatewayId = createGatewayId(pepper);
  let ready = true;
  const { publicUrl, siteName, trustedProxies } = settings;
  const http: HttpTools = {
    store,
    clock,
    random,
    newId,
    log,
    authenticator,
    catalog,
    status,
    relay: {
      clock,
      random,
      health,
      errors,
      retryBudget: createRetryBudget(clock),
      traffic,
      ledger,
      refusals: createRecentRefusals(),
      findUpstream: createUpstreams({
        clock,
        newId,
        fetch,
        connect: settings.hasProxy ? undefined : connect,
        gatewayId,
        demoPaceMs,
        resolveSecret: createSecretResolver(settings, sealer),
      }),
      fetchMedia: createFetchMedia(clock, media),
      alarms,
      log,
      meter: countRequests(metrics),
      nodeId,
      hashUser: createHasher(pepper, 'user'),
      publicUrl,
      cut: createCut(cut.signal),
      isUnbalanced: () => node?.isUnbalanced() ?? false,
      running,
      drains: { count: 0 },
    },
    publicUrl,
    siteName,
    trustedProxies,
    hashAddress: createHasher(pepper, 'address'),
    hashCard: createCardHasher(pepper),
    beginIdempotency: createIdempotency(pepper, random),
    isReady: () => ready,
    hasStore: () => node?.hasStore() ?? false,
    gatewayId,
    doors: createDoorGuards(clock),
    countFault: countFaults(metrics),
    load: createLoad(() => {
      const { requests_in_flight: requests, body_megabytes_in_flight: megabytes } = catalog().guards;
      return { requests, bodyBytes: megabytes * 1024 * 1024 };
    }),
  };
  const site = createSiteTools(http, { pepper, securityContact: settings.securityContact });
  const app = createApp(http, (pages) => addSite(pages, site));

  const operating: OperatingTools = {
    store,
    clock,
    random,
    newId,
    sealer,
    hashKey: authenticator.hash,
    hashCard: http.hashCard,
    findUpstream: http.relay.findUpstream,
    publicUrl,
    node: { health, traffic, errors, lastAudit: () => node?.lastAudit() },
    codes: createCodeMemory(clock),
    follow: async () => node?.follow(),
  };
  const readBody = (request: Request, maxBytes: number) => {
    checkDeclaredBody(request, maxBytes);
    return readBodyText(request, maxBytes, clock);
  };
  const { hasStore, isReady } = http;
  readStore(metrics, { store, clock, hasStore, closing: ledger.closing });
  readState(metrics, {
    health,
    alarms,
    catalog,
    isReady: () => isReady() && hasStore(),
    isUnbalanced: http.relay.isUnbalanced,
  });
  const stopReading = readProcess(metrics, packageJson.version);

  function openPorts() {
    const operatorServer = listenForOperator(
      settings,
      { clock, random, log, newId, metrics, operating, readBody },
      (pages, check) => {
        const checkToken = tokenCheck(check);
        addConsole(pages, createConsoleTools(operating, { siteName, log, siteAssets: site.assetFiles, checkToken }));
      },
    );
    const { host, port } = settings;
    const isShared = settings.processIndex !== undefined;
    try {
      const server = listen({
        host,
        port,
        variable: 'PORT',
        respond: app.fetch,
        isShared,
        idleSeconds: options.idleSeconds,
      });
      log('info', 'operator_serving', { url: urlOf(operatorServer) });
      return { server, operatorServer };
    } catch (error) {
      void operatorServer.stop(true);
      throw error;
    }
  }

  /** From the open store to a node that takes work; false if somebody ended it before. */
  async function begin(): Promise<boolean> {
    const opened = await Promise.race([opening, whenStopping]);
    if (!opened) return false;
    if (away) log('info', 'store_reached');
    recording = opened.store;
    const tools = { settings, store: opened.store, embedded, sealer, clock, log, alarms, authenticator, traffic };
    node = await startNode({ ...tools, node: identity });
    away?.give(opened.store);
    return true;
  }

  /** The same, and anew if the database goes away again meanwhile. */
  async function beginAtLast(): Promise<boolean> {
    for (;;) {
      try {
        return await begin();
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        if (stopping.signal.aborted) return false;
        log('warn', 'store_awaited', { url: publicUrl, detail: error.details.internal });
        await sleep(clock, AGAIN_MS);
        opening = open();
      }
    }
  }

  const tellServing = () => log('info', 'serving', { url: publicUrl, node_id: nodeId, revision: catalog().revision });

  async function beginLate(why: string, ports: Ports): Promise<boolean> {
    log('warn', 'store_awaited', { url: publicUrl, detail: why });
    const alarm = () => alarms.raise('store_failed', { node_id: nodeId, detail: why });
    const cancelAlarm = clock.after(LEASE_MS, alarm);
    try {
      const hasBegun = await beginAtLast();
      if (hasBegun) tellServing();
      return hasBegun;
    } catch (error) {
      await stopAtOnce(ports);
      throw error;
    } finally {
      cancelAlarm();
    }
  }

  /** Nobody waits for the database any more; if it comes all the same, it is let go. */
  function abandon(): void {
    stopping.abort();
    opening.then(
      (opened) => opened.store.close(),
      () => {},
    );
  }

  async function stopAtOnce({ server, operatorServer }: Ports): Promise<void> {
    stopReading();
    await server.stop(true);
    await operatorServer.stop(true);
  }

  let ports: Ports;
  try {
    if (!away) await begin();
    ports = openPorts();
  } catch (error) {
    if (away) abandon();
    stopReading();
    node?.stop();
    await node?.end();
    throw error;
  }
  if (!away) tellServing();
  const served = away ? beginLate(away.why, ports) : Promise.resolve(true);
  // Who does not wait for it is told by drain().
  served.catch(() => {});
  const { server, operatorServer } = ports;

  return {
    url: `http://${settings.host}:${server.port}`,
    port: server.port ?? settings.port,
    adminUrl: urlOf(operatorServer),
    log,
    store,
    fetch: async (request) => app.fetch(request, () => undefined),
    served,
    async reload() {
      if (await served) await node?.reload();
    },
    async drain(ms = DRAIN_MS) {
      if (!ready) return;
      ready = false;
      stopping.abort();
      log('info', 'draining', { node_id: nodeId, count: running.size });
      if (await served) {
        const until = clock.monotonic() + ms;
        while (running.size > 0 && clock.monotonic() < until) await sleep(clock, DRAIN_POLL_MS);
        cut.abort();
        // What a lost database keeps from closing is left to the sweep of the next start.
        const lastClose = clock.monotonic() + CLOSE_MS;
        while ((running.size > 0 || ledger.closing() > 0) && clock.monotonic() < lastClose) {
          await sleep(clock, DRAIN_POLL_MS);
        }
        node?.stop();
        await Promise.race([server.stop(), sleep(clock, 2_000)]);
      } else abandon();
      await stopAtOnce(ports);
      await node?.end();
      log('info', 'stopped', { node_id: nodeId });
    },
  };
}

interface Ports {
  server: Server;
  operatorServer: Server;
}

function urlOf({ hostname, port }: Server): string {
  return `http://${hostname}:${port}`;
}
