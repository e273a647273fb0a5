// The log of what operators did. It is only ever added to; what an operation of the store changes is noted in the same
// transaction.

import type { StoredAction } from '../store/rows.ts';
import type { Actor, OperatingTools } from './tools.ts';

export interface ActionFilter {
  actor?: string;
  /** A whole action (`cards.issue`), or what it begins with (`cards.`). */
  action?: string;
  subject?: string;
  /** The last id of the page before. */
  before?: number;
}

/** Newest first. */
export function listActions(
  { store }: Pick<OperatingTools, 'store'>,
  limit: number,
  filter: ActionFilter = {},
): Promise<StoredAction[]> {
  throw new Error('not yet');
}

/** For what is no operation of the store, such as a test of a channel. `detail` never holds a secret. */
export async function record(
  tools: Pick<OperatingTools, 'store' | 'clock'>,
  actor: Actor,
  action: string,
  subject: string,
  detail: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  throw new Error('not yet');
}
