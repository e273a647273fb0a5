// The log of what operators did. It is only ever added to; what an operation of the store changes is noted in the same
// transaction.

import type { Action, StoredAction } from '../../store/rows.ts';
import type { Actor, OperatingTools } from './tools.ts';

export interface ActionFilter {
  actor?: string | undefined;
  /** A whole action (`cards.issue`), or what it begins with (`cards.`). */
  action?: string | undefined;
  subject?: string | undefined;
  /** The last id of the page before. */
  before?: number | undefined;
}

/** Newest first. */
export function listActions(
  { store }: Pick<OperatingTools, 'store'>,
  limit: number,
  filter: ActionFilter = {},
): Promise<StoredAction[]> {
  return store.read.actions({ ...filter, limit });
}

/** A line for the operation that it is written with. */
export function logLine(
  { clock }: Pick<OperatingTools, 'clock'>,
  actor: Actor,
  action: string,
  subject: string,
  detail: Action['detail'] = {},
): Action {
  return { at: clock.now(), actor, action, subject, detail };
}

/** For what is no operation of the store, such as a test of a channel. `detail` never holds a secret. */
export async function record(
  tools: Pick<OperatingTools, 'store' | 'clock'>,
  actor: Actor,
  action: string,
  subject: string,
  detail: Action['detail'] = {},
): Promise<void> {
  await tools.store.commit('note', { log: logLine(tools, actor, action, subject, detail) });
}
