// The IPC messages between the bench and its helper processes.

import type { ScriptName } from './answers.ts';
import type { CpuOf } from './processes.ts';

/** Answers by target and by script. */
export type Counts = Record<string, Partial<Record<ScriptName, number>>>;

export type UpstreamCommand = 'count' | 'release';
export type UpstreamReply = { port: number } | { counts: Counts };

/** One kind of request, as the load sends it. */
export interface Call {
  port: number;
  path: string;
  headers: Readonly<Record<string, string>>;
  /** One per account, used in turn by the connections; none: the headers stay unchanged. */
  keys: readonly string[];
  body: string;
  expect: {
    status: number;
    /** The result of `comparable`; undefined: any that ends with `ending`. */
    body?: string | undefined;
    ending?: string | undefined;
  };
}

export interface LoadOrder {
  do: 'load';
  call: Call;
  connections: number;
  forMs: number;
  /** Ends earlier after this many answers. */
  enough?: number | undefined;
  /** The connections begin one after the other within this time; 0: all at once. */
  rampMs?: number | undefined;
  /** A first request on every connection that does not count. */
  hasFirst: boolean;
  /** Processes by group, whose CPU time is measured exactly around the load. */
  watch: Readonly<Record<string, readonly number[]>>;
}

export type LoadCommand = LoadOrder | { do: 'open'; call: Call; connections: number } | { do: 'finish' };

export interface Latency {
  p50: number;
  p99: number;
}

export interface LoadReport {
  /** Answered within the measurement. */
  requests: number;
  /** Answered before it. */
  before: number;
  seconds: number;
  latencyMs: Latency;
  firstTokenMs: Latency;
  cpuUs: CpuOf;
  /** Of the load's own process. */
  ownCpuUs: number;
}

export type LoadReply =
  | { report: LoadReport }
  | { opened: number }
  | { finished: number }
  | { failed: string }
  | { isUp: true };
