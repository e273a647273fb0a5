// Every question the service asks of the store. A driver answers each from one consistent snapshot.

import type { KeyRow, Revision, UsageRecord, Wallet, Window } from './rows.ts';

export interface UsageQuery {
  accountId: string;
  from?: number;
  to?: number;
  model?: string;
  channel?: string;
  keyId?: string;
  status?: string;
  limit: number;
  /** The last record of the page before. */
  after?: { at: number; requestId: string };
}

export interface UsageTotals {
  requests: number;
  input: number;
  cachedInput: number;
  cacheWrite5m: number;
  cacheWrite1h: number;
  output: number;
  reasoning: number;
  images: number;
  cost: bigint;
}

export interface UsagePage {
  records: UsageRecord[];
  hasMore: boolean;
  totals: UsageTotals;
}

export interface OpenHold {
  requestId: string;
  accountId: string;
  nodeId: string;
}

/** What other processes may have changed since one last looked. */
export interface Pulse {
  revision: number;
  keysVersion: number;
}

export interface Reads {
  keyByHash(hash: string): Promise<KeyRow | undefined>;
  wallet(accountId: string): Promise<Wallet | undefined>;
  window(windowId: string): Promise<Window | undefined>;
  usagePage(query: UsageQuery): Promise<UsagePage>;
  newestRevision(): Promise<Revision | undefined>;
  /** Hash of the last configuration file that was applied. */
  lastFileHash(): Promise<string | undefined>;
  pulse(): Promise<Pulse>;
  /** Open holds whose node has no lease that was valid at `aliveSince`, or is named in `deadNodes`. */
  orphanedHolds(query: { aliveSince: number; deadNodes: readonly string[]; limit: number }): Promise<OpenHold[]>;
  leasesOf(host: string): Promise<{ nodeId: string; pid: number }[]>;
}

export type ReadName = keyof Reads;
