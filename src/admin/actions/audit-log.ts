// The append-only log of operators' actions. A change in the store is logged in the same transaction.

import type { ActionQuery } from '../../store/operator-reads.ts';
import type { Action, StoredAction } from '../../store/rows.ts';
import type { Actor, OperatingTools, ReadingTools, StoreTools } from './tools.ts';

export type ActionFilter = Omit<ActionQuery, 'limit'>;

/** Newest first. */
export function listActions({ store }: StoreTools, limit: number, filter: ActionFilter = {}): Promise<StoredAction[]> {
  return store.read.actions({ ...filter, limit });
}

/** A log line to write together with its operation. */
export function logLine(
  { clock }: Pick<OperatingTools, 'clock'>,
  actor: Actor,
  action: string,
  subject: string,
  detail: Action['detail'] = {},
): Action {
  return { at: clock.now(), actor, action, subject, detail };
}

/** For actions that are not store operations, such as a test of a channel. `detail` never contains a secret. */
export async function record(
  tools: ReadingTools,
  actor: Actor,
  action: string,
  subject: string,
  detail: Action['detail'] = {},
): Promise<void> {
  await tools.store.commit('note', { log: logLine(tools, actor, action, subject, detail) });
}
