// The composition: every room gets what it needs here, and nowhere else. Tests start the same gateway with a clock, a
// fetch or a port of their own.

import { readFileSync } from 'node:fs';
import packageJson from '../package.json' with { type: 'json' };
import { listenForOperator } from './admin-listener.ts';
import { createAlarmWebhook } from './alarm-webhook.ts';
import { createCardHasher } from './cards/card-code.ts';
import type { Catalog } from './catalog/catalog.ts';
import { defaultDocument } from './catalog/default-document.ts';
import { printFault } from './catalog/fault-words.ts';
import { warnDocument } from './catalog/warn-document.ts';
import { createFetchMedia, type MediaOptions } from './channels/fetch-media.ts';
import { createHealth } from './channels/health.ts';
import { type Connect, connectTcp } from './channels/limit-connect.ts';
import { createRecentErrors } from './channels/recent-errors.ts';
import { createRetryBudget } from './channels/retry-budget.ts';
import { createTraffic } from './channels/traffic.ts';
import type { Fetch } from './channels/upstream.ts';
import { createUpstreams } from './channels/upstreams.ts';
import { type Settings, usualConfigFile } from './config.ts';
import { createConsoleTools, tokenCheck } from './console-tools.ts';
import { createGatewayId } from './gateway-id.ts';
import { createApp } from './http/app.ts';
import type { HttpTools } from './http/exchange.ts';
import { createDoorGuards } from './http/guard-doors.ts';
import { checkDeclaredBody, readBodyText } from './http/read-body.ts';
import { auditLedger } from './jobs/audit-ledger.ts';
import { followStore } from './jobs/follow-store.ts';
import { forgetAddresses } from './jobs/forget-addresses.ts';
import { forgetUsage } from './jobs/forget-usage.ts';
import { keepLease } from './jobs/keep-lease.ts';
import { storeTraffic } from './jobs/store-traffic.ts';
import { suspendKeys } from './jobs/suspend-keys.ts';
import { sweepHolds } from './jobs/sweep-holds.ts';
import { createAuthenticator } from './keys/authenticator.ts';
import { createAlarms } from './kit/alarms.ts';
import { type Clock, sleep, systemClock } from './kit/clock.ts';
import { armFailpoint } from './kit/failpoint.ts';
import { fileTrouble } from './kit/file-trouble.ts';
import { createIdempotency } from './kit/idempotency.ts';
import { createIds } from './kit/ids.ts';
import { createLog, type Log } from './kit/log.ts';
import { createMetrics } from './kit/metrics.ts';
import { type Random, systemRandom } from './kit/random.ts';
import { createHasher, createSealer } from './kit/sealed.ts';
import { createLedger } from './ledger/ledger.ts';
import { createLoad } from './limits/load.ts';
import { createRecentRefusals } from './limits/recent-refusals.ts';
import { listen, type Respond, type Server } from './listen.ts';
import { openStore } from './open-store.ts';
import { createCodeMemory } from './operating/code-memory.ts';
import type { OperatingTools } from './operating/tools.ts';
import { countFaults } from './operator/metrics/fault-metrics.ts';
import { readProcess } from './operator/metrics/process-metrics.ts';
import { countRequests } from './operator/metrics/request-metrics.ts';
import { readState } from './operator/metrics/state-metrics.ts';
import { countBatches, readStore } from './operator/metrics/store-metrics.ts';
import { hostOfProcesses, isProcessAlive } from './processes.ts';
import { createActiveCatalog } from './publishing/active-catalog.ts';
import { applyDocument } from './publishing/apply-document.ts';
import { createPublicStatus } from './publishing/public-status.ts';
import { applyStartingDocument } from './publishing/starting-document.ts';
import { createCut } from './relay/cut.ts';
import { createSecretResolver } from './resolve-secret.ts';
import { addConsole } from './site/console/console.tsx';
import { addSite } from './site/site.ts';
import { createSiteTools } from './site-tools.ts';
import { StartRefused } from './start-refused.ts';
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
  /** Applies the configuration file again, as SIGHUP asks. */
  reload(): Promise<void>;
  /** Refuses new work, lets running requests end within `ms`, cuts the rest, and stops. */
  drain(ms?: number): Promise<void>;
}

const DRAIN_MS = 120_000;
const CLOSE_MS = 15_000;
/** Without a word from the store for so long, a load balancer should look elsewhere. */
const STORE_LOST_MS = 2_000;
const DRAIN_POLL_MS = 20;
const HUMAN_PACE_MS = 25;

export async function startGateway(settings: Settings, options: GatewayOptions): Promise<Gateway> {
  const { fetch, connect = connectTcp, clock = systemClock, random = systemRandom } = options;
  const { demoPaceMs = HUMAN_PACE_MS, media } = options;
  const log = createLog(clock, options.writeLog);
  const alarms = createAlarms(log);
  const newId = createIds(clock, random);
  armFailpoint(settings.killOrder);
  const metrics = createMetrics();
  const opening = { maxPages: options.maxPages, meter: countBatches(metrics) };
  const { store, pepper } = await openStore(settings, clock, random, opening);
  const sealer = createSealer(pepper, random);
  alarms.attach('database', (alarm) => store.recordAlarm(alarm, clock.now()));
  const { alarmWebhookUrl } = settings;
  if (alarmWebhookUrl !== undefined) alarms.attach('webhook', createAlarmWebhook(alarmWebhookUrl, fetch, clock));
  const publishing = { store, sealer, clock };
  const embedded = JSON.stringify(defaultDocument(settings.providers));

  const { configFile } = settings;
  const startingText = configFile === undefined ? undefined : readConfig(configFile);
  const started = await applyStartingDocument(publishing, startingText, embedded);
  if (!started.ok) {
    await store.close();
    throw new StartRefused(faultLines(configFile, started.faults));
  }
  const { applied, rejected } = started;
  if (applied !== undefined) log('info', 'config_applied', { file: configFile, revision: applied });
  if (rejected) alarms.raise('config_rejected', { file: configFile, detail: faultLines(undefined, rejected) });
  const active = createActiveCatalog(store, alarms);
  const authenticator = createAuthenticator(store, clock, pepper);
  let heardAt = clock.monotonic();
  let warned: number | undefined;
  const warnOf = ({ revision, channels, models }: Catalog) => {
    warned = revision;
    const named = [...channels.values()].map(({ apiKey }) => ({ api_key: apiKey }));
    for (const warning of warnDocument({ channels: named, models }, settings.variable)) {
      log('warn', 'config_warning', { revision, detail: printFault(warning) });
    }
  };
  const onPulse = async ({ revision, keysVersion }: { revision: number; keysVersion: number }) => {
    authenticator.confirm(keysVersion);
    heardAt = clock.monotonic();
    await active.refresh(revision);
    if (warned !== active.get().revision) warnOf(active.get());
  };
  await onPulse(await store.read.pulse());

  const node = { nodeId: newId('node'), host: hostOfProcesses(), pid: process.pid };
  const lease = await keepLease({ store, clock, log, alarms, node });
  const stops = [
    lease.stop,
    await sweepHolds({ store, clock, log, node, isProcessAlive }),
    await forgetAddresses(store, clock, log),
    followStore(store, clock, log, onPulse),
    suspendKeys(store, clock, log, active.get),
    forgetUsage(store, clock, log, active.get),
  ];
  const audit = await auditLedger(store, clock, alarms, log);
  stops.push(audit.stop);

  const traffic = createTraffic(clock);
  const trafficJob = storeTraffic(store, clock, log, traffic);
  stops.push(trafficJob.stop);
  const health = createHealth(clock);
  const errors = createRecentErrors(clock);
  const status = createPublicStatus({ store, clock, catalog: active.get, health, traffic });
  const cut = new AbortController();
  const ledger = createLedger({ store, clock, alarms, renewLease: lease.renew });
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
    catalog: active.get,
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
      nodeId: node.nodeId,
      hashUser: createHasher(pepper, 'user'),
      publicUrl,
      cut: createCut(cut.signal),
      isUnbalanced: audit.isUnbalanced,
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
    hasStore: () => clock.monotonic() - heardAt < STORE_LOST_MS && lease.isHeld(),
    gatewayId,
    doors: createDoorGuards(clock),
    countFault: countFaults(metrics),
    load: createLoad(() => {
      const { requests_in_flight: requests, body_megabytes_in_flight: megabytes } = active.get().guards;
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
    node: { health, traffic, errors, lastAudit: audit.last },
    codes: createCodeMemory(clock),
    follow: async () => onPulse(await store.read.pulse()),
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
    catalog: active.get,
    isReady: () => isReady() && hasStore(),
    isUnbalanced: audit.isUnbalanced,
  });
  stops.push(readProcess(metrics, packageJson.version));
  let operatorServer: Server | undefined;
  let server: Server;
  try {
    operatorServer = listenForOperator(
      settings,
      { clock, random, log, newId, metrics, operating, readBody },
      (pages, check) => {
        const checkToken = tokenCheck(check);
        addConsole(pages, createConsoleTools(operating, { siteName, log, siteAssets: site.assetFiles, checkToken }));
      },
    );
    const respond: Respond = (request, peer) => app.fetch(request, { peer });
    const { host, port } = settings;
    const isShared = settings.processIndex !== undefined;
    server = listen({ host, port, variable: 'PORT', respond, isShared, idleSeconds: options.idleSeconds });
  } catch (error) {
    for (const stop of stops) stop();
    await operatorServer?.stop(true);
    await store.close();
    throw error;
  }
  const adminUrl = `http://${operatorServer.hostname}:${operatorServer.port}`;
  log('info', 'operator_serving', { url: adminUrl });
  log('info', 'serving', { url: publicUrl, node_id: node.nodeId, revision: active.get().revision });

  return {
    url: `http://${settings.host}:${server.port}`,
    port: server.port ?? settings.port,
    adminUrl,
    log,
    store,
    fetch: async (request) => app.fetch(request, { peer: undefined }),
    async reload() {
      // It may have been made since the start.
      const file = configFile ?? usualConfigFile();
      if (file === undefined) throw new StartRefused('there is no catalog file');
      const applied = await applyDocument(publishing, readConfig(file), 'file');
      if (applied.ok) {
        await onPulse(await store.read.pulse());
        log('info', 'config_applied', { file, revision: active.get().revision });
      } else {
        alarms.raise('config_rejected', { file, detail: faultLines(undefined, applied.faults) });
      }
    },
    async drain(ms = DRAIN_MS) {
      if (!ready) return;
      ready = false;
      log('info', 'draining', { node_id: node.nodeId, count: running.size });
      const until = clock.monotonic() + ms;
      while (running.size > 0 && clock.monotonic() < until) await sleep(clock, DRAIN_POLL_MS);
      cut.abort();
      // What a lost database keeps from closing is left to the sweep of the next start.
      const lastClose = clock.monotonic() + CLOSE_MS;
      while ((running.size > 0 || ledger.closing() > 0) && clock.monotonic() < lastClose) {
        await sleep(clock, DRAIN_POLL_MS);
      }
      for (const stop of stops) stop();
      await Promise.race([server.stop(), sleep(clock, 2_000)]);
      await server.stop(true);
      await operatorServer.stop(true);
      await trafficJob.flush();
      await lease.end();
      await store.close();
      log('info', 'stopped', { node_id: node.nodeId });
    },
  };
}

function readConfig(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new StartRefused(`cannot read ${file}: ${fileTrouble(error)}`);
  }
}

function faultLines(file: string | undefined, faults: readonly { path: string; message: string }[]): string {
  const list = faults.map(printFault);
  return file === undefined ? list.join('; ') : [`${file} is refused:`, ...list.map((line) => `  ${line}`)].join('\n');
}
