// Alarms as the store kept them, and who has looked at them.

import { ALARM_SEEN } from '../store/operator-queries.ts';
import type { StoredAlarm } from '../store/rows.ts';
import { logLine } from './audit-log.ts';
import { notFound, OperatingRefused } from './refused.ts';
import type { Actor, OperatingTools } from './tools.ts';

/** Newest first. */
export function listAlarms(
  { store }: Pick<OperatingTools, 'store'>,
  limit: number,
  filter: { before?: number | undefined; openOnly?: boolean | undefined } = {},
): Promise<StoredAlarm[]> {
  return store.read.alarms({ ...filter, limit });
}

/** Refused: not_found, already_done. */
export async function acknowledge(tools: OperatingTools, alarmId: number, actor: Actor): Promise<void> {
  const [alarm] = Number.isSafeInteger(alarmId) ? await tools.store.read.alarms({ alarmId, limit: 1 }) : [];
  if (!alarm) throw notFound(`alarm ${alarmId}`);
  const log = logLine(tools, actor, ALARM_SEEN, String(alarmId), { name: alarm.name });
  const isFirst =
    alarm.acknowledgedAt === null &&
    // Of several at once, one has seen it.
    (await tools.store.commit('claim', { name: `alarm_seen:${alarmId}`, value: actor, log })).isFirst;
  if (!isFirst) throw new OperatingRefused('already_done', 'somebody has seen it already');
}
