// Alarms as the store kept them, and who has looked at them.

import type { StoredAlarm } from '../store/rows.ts';
import type { Actor, OperatingTools } from './tools.ts';

/** Newest first. */
export function listAlarms(
  tools: Pick<OperatingTools, 'store'>,
  limit: number,
  filter: { before?: number; openOnly?: boolean } = {},
): Promise<StoredAlarm[]> {
  throw new Error('not yet');
}
/** Refused: not_found, already_done. */
export function acknowledge(tools: OperatingTools, alarmId: number, actor: Actor): Promise<void> {
  throw new Error('not yet');
}
