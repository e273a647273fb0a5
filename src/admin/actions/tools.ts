// Dependencies of all operator actions. Only a running node knows the state of its channels; the command line is a
// separate process and does not.

import type { Health } from '../../channels/health.ts';
import type { RecentErrors } from '../../channels/recent-errors.ts';
import type { Traffic } from '../../channels/traffic.ts';
import type { UpstreamBalances } from '../../channels/upstream-balances.ts';
import type { FindUpstream } from '../../channels/upstreams.ts';
import type { Clock } from '../../kit/clock.ts';
import type { NewId } from '../../kit/ids.ts';
import type { Random } from '../../kit/random.ts';
import type { Sealer } from '../../kit/sealed.ts';
import type { AuditReport } from '../../store/reads.ts';
import type { ACTORS } from '../../store/rows.ts';
import type { Store } from '../../store/store.ts';
import type { CodeMemory } from './cards.ts';

/** The actor in the action log: `token` for the API and the console, `cli` for the command line. */
export type Actor = typeof ACTORS.token | typeof ACTORS.commandLine;

export interface AuditPass {
  at: number;
  /** False: only what changed since the previous pass. */
  isFull: boolean;
  report: AuditReport;
}

/** State that only a running node has. */
interface NodeView {
  health: Pick<Health, 'states'>;
  traffic: Pick<Traffic, 'figures'>;
  errors: Pick<RecentErrors, 'list'>;
  balances: Pick<UpstreamBalances, 'get'>;
  /** The last audit pass here; undefined before the first. */
  lastAudit(): AuditPass | undefined;
}

export interface OperatingTools {
  store: Store;
  clock: Clock;
  random: Random;
  newId: NewId;
  sealer: Sealer;
  hashKey(key: string): string;
  hashCard(code: string): string;
  findUpstream: FindUpstream;
  /** Base URL of the links on cards. */
  publicUrl: string;
  /** Undefined on the command line. */
  node?: NodeView | undefined;
  /** Codes of recently issued cards; undefined on the command line, which shows them at once. */
  codes?: CodeMemory | undefined;
  /** Called after a change, so that this node applies it before the response. */
  follow(): Promise<void>;
}

export type StoreTools = Pick<OperatingTools, 'store'>;
export type ReadingTools = Pick<OperatingTools, 'store' | 'clock'>;
