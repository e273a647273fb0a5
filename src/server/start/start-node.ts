// Starts a node on an open store: chooses the catalog, takes the lease, releases holds of dead nodes, and starts the
// jobs.

import type { EventWatch } from '../../accounts/events/event-watch.ts';
import type { Authenticator } from '../../accounts/keys/authenticator.ts';
import type { DeliveryTools } from '../../accounts/webhooks/deliver-events.ts';
import { printFault } from '../../catalog/fault-words.ts';
import { createActiveCatalog } from '../../catalog/publishing/active-catalog.ts';
import { applyDocument, type PublishingTools, SERVER } from '../../catalog/publishing/apply-document.ts';
import { applyStartingDocument, type Started } from '../../catalog/publishing/starting-document.ts';
import type { Traffic } from '../../channels/traffic.ts';
import type { UpstreamBalances } from '../../channels/upstream-balances.ts';
import type { FindUpstream } from '../../channels/upstreams.ts';
import type { Alarms } from '../../kit/alarms.ts';
import type { Clock } from '../../kit/clock.ts';
import type { Log } from '../../kit/log.ts';
import type { Random } from '../../kit/random.ts';
import type { Sealer } from '../../kit/sealed.ts';
import type { LossMeter } from '../../ledger/ledger.ts';
import type { RefusalLog } from '../../limits/refusal-log.ts';
import type { Store } from '../../store/store.ts';
import { askBalances } from '../jobs/ask-balances.ts';
import { auditLedger } from '../jobs/audit-ledger.ts';
import { deleteOld, deleteOldUsage, suspendKeys } from '../jobs/delete-old.ts';
import { followStore } from '../jobs/follow-store.ts';
import { holdRole } from '../jobs/hold-role.ts';
import { keepLease, type Node } from '../jobs/keep-lease.ts';
import { sendWebhooks } from '../jobs/send-webhooks.ts';
import { storeRefusals, storeTraffic } from '../jobs/store-counts.ts';
import { sweepHolds } from '../jobs/sweep-holds.ts';
import { isOfAnotherBoot, isProcessAlive } from '../processes/processes.ts';
import { defaultConfigFile, readCatalogFile, type Settings } from '../settings/settings.ts';
import { logApplied, warnOfCatalog, warnOfPlainHttp, warnOfProviders } from './config-warnings.ts';
import { StartRefused } from './start-refused.ts';

interface NodeTools {
  settings: Settings;
  /** Closed with the node, also if the start fails. */
  store: Store;
  /** The document to use without a file. */
  embedded: string;
  sealer: Sealer;
  clock: Clock;
  log: Log;
  alarms: Alarms;
  authenticator: Pick<Authenticator, 'confirm' | 'forget'>;
  eventWatch: Pick<EventWatch, 'follow'>;
  webhooks: DeliveryTools;
  traffic: Traffic;
  refusals: RefusalLog;
  lossMeter: LossMeter;
  random: Random;
  findUpstream: FindUpstream;
  balances: UpstreamBalances;
  node: Node;
}

export type RunningNode = Awaited<ReturnType<typeof startNode>>;

/** If the store is silent for this long, a load balancer should use another node. */
const STORE_LOST_MS = 2_000;

/** Rejects with StartRefused or StoreRefused. */
export async function startNode(tools: NodeTools) {
  const stops: (() => void)[] = [];
  const stop = () => {
    for (const stopJob of stops) stopJob();
  };
  try {
    return { ...(await startJobs(tools, stops)), stop };
  } catch (error) {
    stop();
    await tools.store.close();
    throw error;
  }
}

async function startJobs(tools: NodeTools, stops: (() => void)[]) {
  const { settings, store, embedded, sealer, clock, log, alarms, authenticator, eventWatch, traffic, lossMeter, node } =
    tools;
  const { configFile } = settings;
  const publishing = { store, sealer, clock };
  const started = await startDocument(publishing, settings, embedded);
  if (!started.ok) throw new StartRefused(faultLines(configFile, started.faults));
  const { applied, rejected } = started;
  if (applied) logApplied(log, configFile, applied);
  if (rejected) alarms.raise('config_rejected', { file: configFile, detail: faultLines(undefined, rejected) });

  const active = createActiveCatalog(store, clock, alarms);
  let heardAt = clock.monotonic();
  let warned: number | undefined;
  /** Checks for changes. */
  const follow = async () => {
    const askedAt = clock.monotonic();
    const { revision, keysVersion, newestEvent } = await store.read.pulse();
    authenticator.confirm(keysVersion, askedAt);
    heardAt = clock.monotonic();
    await active.refresh(revision);
    await eventWatch.follow(newestEvent);
    const { revision: current } = active.get();
    if (warned === current) return;
    warned = current;
    warnOfCatalog(log, { variable: settings.variable, openSealed: sealer.open }, current, active.document());
  };
  await follow();
  if (configFile === undefined) warnOfProviders(log, settings, active.get());
  warnOfPlainHttp(log, settings);

  const lease = await keepLease({ store, clock, log, alarms, node });
  stops.push(lease.stop);
  const isAlone = settings.databaseUrl === undefined;
  stops.push(await sweepHolds({ store, clock, log, node, lossMeter, isAlone, isProcessAlive, isOfAnotherBoot }));
  stops.push(await deleteOld(store, clock, log));
  stops.push(followStore(clock, log, follow));
  stops.push(suspendKeys(store, clock, log, active.get));
  stops.push(askBalances({ ...tools, catalog: active.get }));
  stops.push(deleteOldUsage(store, clock, log, active.get));
  const audit = await auditLedger(store, clock, alarms, log);
  stops.push(audit.stop);
  const trafficJob = storeTraffic(store, clock, log, traffic);
  stops.push(trafficJob.stop);
  const refusalJob = storeRefusals(store, clock, log, tools.refusals);
  stops.push(refusalJob.stop);
  const roleTools = { store, clock, log, node, isOneMachine: isAlone, isProcessAlive };
  const role = await holdRole('role:webhooks', roleTools);
  stops.push(role.stop);
  const webhookJob = sendWebhooks({ ...tools.webhooks, store, log, role });
  stops.push(webhookJob.stop);

  return {
    catalog: active.get,
    /** False when the store has not answered for a while, or takes no writes. */
    hasStore: () => clock.monotonic() - heardAt < STORE_LOST_MS && lease.isHeld(),
    lease,
    isUnbalanced: audit.isUnbalanced,
    lastAudit: audit.last,
    follow,
    /** Applies the configuration file again. */
    async reload(): Promise<void> {
      // The file may have been created since the start.
      const file = configFile ?? defaultConfigFile();
      if (file === undefined) throw new StartRefused('there is no catalog file');
      const applied = await applyDocument(publishing, readCatalogFile(file), 'file', SERVER);
      if (applied.ok) {
        await follow();
        logApplied(log, file, applied);
      } else {
        alarms.raise('config_rejected', { file, detail: faultLines(undefined, applied.faults) });
      }
    },
    /** Stores the traffic and the refusals, returns the lease and closes the store. */
    async end(): Promise<void> {
      await trafficJob.flush();
      await refusalJob.flush();
      await webhookJob.ended();
      await role.end();
      await lease.end();
      await store.close();
    },
  };
}

/** The first of several processes applies the file for all. */
async function startDocument(
  publishing: PublishingTools,
  { configFile, follows }: Settings,
  embedded: string,
): Promise<Started> {
  if (follows && (await publishing.store.read.newestRevision())) return { ok: true, applied: undefined };
  const text = configFile === undefined ? undefined : readCatalogFile(configFile);
  return applyStartingDocument(publishing, text, embedded);
}

function faultLines(file: string | undefined, faults: readonly { path: string; message: string }[]): string {
  const list = faults.map(printFault);
  return file === undefined ? list.join('; ') : [`${file} is refused:`, ...list.map((line) => `  ${line}`)].join('\n');
}
