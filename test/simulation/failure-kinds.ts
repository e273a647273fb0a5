// The kinds of failures. Nothing of the service is loaded here.

import type { DatabaseState } from './database.ts';
import type { Problem, Vendor } from './vendors.ts';

export type InjectedFailure = { at: number } & (
  | { what: 'crash'; place: number; ms: number }
  | { what: 'restart'; place: number; ms: number }
  /** `isBusy`: it begins when the node has a call in progress, if that comes soon. */
  | { what: 'pause'; place: number; ms: number; isBusy: boolean }
  | { what: 'clock'; place: number; ms: number }
  | { what: 'database'; problem: Partial<DatabaseState>; ms: number }
  | { what: 'database crash' }
  | { what: 'power loss' }
  | { what: 'network'; ms: number; loss: number }
  | { what: 'vendor'; vendor: Vendor; problem: Problem; ms: number }
  | { what: 'document'; place: number; edition: number }
);

/** Every kind of failure. */
export const FAILURE_KINDS = [
  'crash',
  'restart',
  'pause',
  'clock',
  'database',
  'database crash',
  'power loss',
  'network',
  'vendor',
  'document',
] as const satisfies readonly InjectedFailure['what'][];

const OUTSIDE: ReadonlySet<InjectedFailure['what']> = new Set(['vendor', 'network', 'document', 'restart']);

/** Nodes may stand still, and the database works: so others find out that one is gone. */
export const DATABASE_LIVES: ReadonlySet<InjectedFailure['what']> = new Set([...OUTSIDE, 'pause', 'clock']);

/** A service without a fault of its own must bear it without one. */
export function isOutside({ what }: Pick<InjectedFailure, 'what'>): boolean {
  return OUTSIDE.has(what);
}
