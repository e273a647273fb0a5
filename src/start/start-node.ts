// What a node does with an open store: it decides on a catalog, takes its lease, clears up after the dead, and keeps its
// jobs running.

import type { Catalog } from '../catalog/catalog.ts';
import type { DocumentFault } from '../catalog/check-references.ts';
import { unusedProviders } from '../catalog/default-document.ts';
import { printFault } from '../catalog/fault-words.ts';
import { type Warnable, warnDocument } from '../catalog/warn-document.ts';
import type { Traffic } from '../channels/traffic.ts';
import { auditLedger } from '../jobs/audit-ledger.ts';
import { followStore } from '../jobs/follow-store.ts';
import { forgetOld } from '../jobs/forget-old.ts';
import { forgetUsage } from '../jobs/forget-usage.ts';
import { type HeldLease, keepLease, type Node } from '../jobs/keep-lease.ts';
import { storeTraffic } from '../jobs/store-traffic.ts';
import { suspendKeys } from '../jobs/suspend-keys.ts';
import { sweepHolds } from '../jobs/sweep-holds.ts';
import type { Authenticator } from '../keys/authenticator.ts';
import type { Alarms } from '../kit/alarms.ts';
import type { Clock } from '../kit/clock.ts';
import { readKeyFile } from '../kit/key-file.ts';
import type { Log } from '../kit/log.ts';
import { isLoopback } from '../kit/loopback.ts';
import type { Sealer } from '../kit/sealed.ts';
import type { AuditPass } from '../operating/tools.ts';
import { isOfAnotherBoot, isProcessAlive } from '../processes/processes.ts';
import { createActiveCatalog } from '../publishing/active-catalog.ts';
import { applyDocument, type PublishingTools, SERVER } from '../publishing/apply-document.ts';
import { applyStartingDocument, type Started } from '../publishing/starting-document.ts';
import { readCatalogFile } from '../settings/read-catalog-file.ts';
import { type Settings, usualConfigFile } from '../settings/settings.ts';
import type { Pulse } from '../store/reads.ts';
import type { Store } from '../store/store.ts';
import { StartRefused } from './start-refused.ts';

export interface NodeTools {
  settings: Settings;
  /** Closed with the node, also with one that cannot start. */
  store: Store;
  /** The document for who has no file. */
  embedded: string;
  sealer: Sealer;
  clock: Clock;
  log: Log;
  alarms: Alarms;
  authenticator: Pick<Authenticator, 'confirm' | 'forget'>;
  traffic: Traffic;
  node: Node;
}

export interface RunningNode {
  catalog(): Catalog;
  /** False when the store has not answered for a while, or takes no writes. */
  hasStore(): boolean;
  lease: Pick<HeldLease, 'renew' | 'hasLivedSince'>;
  isUnbalanced(): boolean;
  lastAudit(): AuditPass | undefined;
  /** Looks for what was changed now, and not only with the next pulse. */
  follow(): Promise<void>;
  /** Applies the configuration file again. */
  reload(): Promise<void>;
  /** Ends the jobs. */
  stop(): void;
  /** The last words to the store, which is then closed. */
  end(): Promise<void>;
}

/** Without a word from the store for so long, a load balancer should look elsewhere. */
const STORE_LOST_MS = 2_000;

/** Rejects with StartRefused or StoreRefused. */
export async function startNode(tools: NodeTools): Promise<RunningNode> {
  const stops: (() => void)[] = [];
  const stop = () => {
    for (const one of stops) one();
  };
  try {
    return { ...(await startJobs(tools, stops)), stop };
  } catch (error) {
    stop();
    await tools.store.close();
    throw error;
  }
}

async function startJobs(tools: NodeTools, stops: (() => void)[]): Promise<Omit<RunningNode, 'stop'>> {
  const { settings, store, embedded, sealer, clock, log, alarms, authenticator, traffic, node } = tools;
  const { configFile } = settings;
  const publishing = { store, sealer, clock };
  const started = await startDocument(publishing, settings, embedded);
  if (!started.ok) throw new StartRefused(faultLines(configFile, started.faults));
  const { applied, warnings = [], rejected } = started;
  const tellApplied = (file: string | undefined, revision: number, doubts: readonly DocumentFault[]) => {
    log('info', 'config_applied', { file, revision });
    for (const doubt of doubts) log('warn', 'config_warning', { revision, detail: printFault(doubt) });
  };
  if (applied !== undefined) tellApplied(configFile, applied, warnings);
  if (rejected) alarms.raise('config_rejected', { file: configFile, detail: faultLines(undefined, rejected) });

  const active = createActiveCatalog(store, alarms);
  let heardAt = clock.monotonic();
  let warned: number | undefined;
  const warnOf = ({ revision, channels, models }: Catalog) => {
    warned = revision;
    const places = { variable: settings.variable, readFile: readKeyFile, openSealed: sealer.open };
    for (const warning of warnDocument(asDocument(channels, models), places)) {
      log('warn', 'config_warning', { revision, detail: printFault(warning) });
    }
  };
  const onPulse = async ({ revision, keysVersion }: Pulse, askedAt: number) => {
    authenticator.confirm(keysVersion, askedAt);
    heardAt = clock.monotonic();
    await active.refresh(revision);
    if (warned !== active.get().revision) warnOf(active.get());
  };
  const follow = async () => {
    const askedAt = clock.monotonic();
    await onPulse(await store.read.pulse(), askedAt);
  };
  await follow();
  if (configFile === undefined) warnOfProviders(settings, active.get(), log);
  warnOfPlainHttp(settings, log);

  const lease = await keepLease({ store, clock, log, alarms, node });
  stops.push(lease.stop);
  const isAlone = settings.databaseUrl === undefined;
  stops.push(await sweepHolds({ store, clock, log, node, isAlone, isProcessAlive, isOfAnotherBoot }));
  stops.push(await forgetOld(store, clock, log));
  stops.push(followStore({ store, clock, log, onBack: authenticator.forget, onPulse }));
  stops.push(suspendKeys(store, clock, log, active.get));
  stops.push(forgetUsage(store, clock, log, active.get));
  const audit = await auditLedger(store, clock, alarms, log);
  stops.push(audit.stop);
  const trafficJob = storeTraffic(store, clock, log, traffic);
  stops.push(trafficJob.stop);

  return {
    catalog: active.get,
    hasStore: () => clock.monotonic() - heardAt < STORE_LOST_MS && lease.isHeld(),
    lease,
    isUnbalanced: audit.isUnbalanced,
    lastAudit: audit.last,
    follow,
    async reload() {
      // It may have been made since the start.
      const file = configFile ?? usualConfigFile();
      if (file === undefined) throw new StartRefused('there is no catalog file');
      const applied = await applyDocument(publishing, readCatalogFile(file), 'file', SERVER);
      if (applied.ok) {
        await follow();
        tellApplied(file, applied.revision, applied.warnings);
      } else {
        alarms.raise('config_rejected', { file, detail: faultLines(undefined, applied.faults) });
      }
    },
    async end() {
      await trafficJob.flush();
      await lease.end();
      await store.close();
    },
  };
}

/** Of several processes the first one applies the file for all. */
async function startDocument(
  publishing: PublishingTools,
  { configFile, follows }: Settings,
  embedded: string,
): Promise<Started> {
  if (follows && (await publishing.store.read.newestRevision())) return { ok: true, applied: undefined };
  const text = configFile === undefined ? undefined : readCatalogFile(configFile);
  return applyStartingDocument(publishing, text, embedded);
}

/** What of a catalog there may be warnings about, in the document's own words. */
function asDocument(channels: Catalog['channels'], models: Catalog['models']): Warnable {
  return {
    channels: [...channels.values()].map(({ name, kind, apiKey, baseUrl, anthropicBaseUrl }) => ({
      name,
      kind,
      api_key: apiKey,
      base_url: baseUrl,
      anthropic_base_url: anthropicBaseUrl,
    })),
    models: models.map(({ id, aliases, kinds, contextTokens, isContextStated, free, prices, routes }) => ({
      id,
      aliases,
      kinds,
      context_tokens: isContextStated ? contextTokens : undefined,
      price: free ? 'free' : prices,
      routes: routes.map(({ channel }) => ({ channel: channel.name })),
    })),
  };
}

/** The embedded default would have their channels, but an edit or a file of an earlier start has taken its place. */
function warnOfProviders({ providers }: Settings, { revision, channels }: Catalog, log: Log): void {
  for (const name of unusedProviders(providers, [...channels.values()])) {
    const detail = `${name} is set, but revision ${revision} is not the embedded default: it adds nothing; add its channel and models to the catalog document, or unset it`;
    log('warn', 'config_warning', { revision, detail });
  }
}

/** The cookie of a sign-in must reach a site that has no TLS, too: whoever listens on the way has it as well. */
function warnOfPlainHttp({ publicUrl }: Settings, log: Log): void {
  const { protocol, hostname } = new URL(publicUrl);
  if (protocol === 'https:' || isLoopback(hostname)) return;
  const detail = `PUBLIC_URL is ${publicUrl}, without TLS: keys and the cookies of sign-ins travel unprotected; put TLS in front and set PUBLIC_URL to an https URL`;
  log('warn', 'config_warning', { detail });
}

function faultLines(file: string | undefined, faults: readonly { path: string; message: string }[]): string {
  const list = faults.map(printFault);
  return file === undefined ? list.join('; ') : [`${file} is refused:`, ...list.map((line) => `  ${line}`)].join('\n');
}
