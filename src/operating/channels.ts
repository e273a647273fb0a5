// The channels as an operator sees them: what they are, how they do, and what went wrong last.

import type { RecentError } from '../channels/recent-errors.ts';
import type { WindowFigures } from '../channels/traffic.ts';
import type { OperatingTools } from './tools.ts';

export interface BreakerView {
  /** The model's name at the upstream. */
  model: string;
  state: 'closed' | 'open' | 'probing';
  /** When it opened; null while it is closed. */
  since: number | null;
  /** Why it opened: `consecutive_failures`, `failure_rate`, `key_refused`, `probe_failed`; null while it is closed. */
  why: string | null;
  /** When a call is tried again. */
  retryAt: number | null;
  /** Failures in a row. */
  failures: number;
}

/** One hour with traffic, over all models of the channel. */
export interface HourView {
  /** When it began. */
  at: number;
  requests: number;
  successRate: number | null;
  firstTokenMs: { p50: number | null; p95: number | null };
}

export interface ChannelView {
  name: string;
  kind: string;
  /** Host and port only; empty for the demo channel. */
  baseUrlHost: string;
  endpoints: readonly string[];
  /** Names of peculiarities that are set; `openai` for none. */
  quirks: string;
  enabled: boolean;
  /** How the document has its key; the key itself is never told. */
  apiKey: 'none' | 'reference' | 'stored';
  /** `env:NAME` or `file:PATH`, where that is what the document says. */
  apiKeyReference: string | undefined;
  /** Public ids of the models that have a route here. */
  models: readonly string[];
  /** Empty on the command line. */
  breakers: readonly BreakerView[];
  /** Newest first, without content; empty on the command line. */
  lastErrors: readonly RecentError[];
  /** Of this node, from memory; no requests on the command line. */
  lastHour: WindowFigures;
  /** Of all nodes, from the store. */
  last24Hours: {
    requests: number;
    successRate: number | null;
    firstTokenMs: { p50: number | null; p95: number | null };
  };
  /** The last 24 hours, oldest first, those without traffic included. */
  hours: readonly HourView[];
}

export function listChannels(tools: OperatingTools): Promise<ChannelView[]> {
  throw new Error('not yet');
}

/** Refused (not_found) if there is none of that name. */
export function showChannel(tools: OperatingTools, name: string): Promise<ChannelView> {
  throw new Error('not yet');
}
