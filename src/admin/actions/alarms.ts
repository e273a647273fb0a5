// Stored alarms, and who acknowledged them.

import { ALARM_SEEN, ALARMS_SEEN, seenSubject } from '../../store/operator-reads.ts';
import type { OpenAlarms } from '../../store/reads.ts';
import type { StoredAlarm } from '../../store/rows.ts';
import { logLine } from './audit-log.ts';
import { notFound, OperatingRefused } from './refused.ts';
import type { Actor, OperatingTools } from './tools.ts';

export interface AlarmFilter {
  name?: string | undefined;
  before?: number | undefined;
  openOnly?: boolean | undefined;
}

/** Newest first. */
export function listAlarms(
  { store }: Pick<OperatingTools, 'store'>,
  limit: number,
  filter: AlarmFilter = {},
): Promise<StoredAlarm[]> {
  return store.read.alarms({ ...filter, limit });
}

/** Unacknowledged alarms by name, the newest first. */
export function countOpenAlarms({ store }: Pick<OperatingTools, 'store'>, name?: string): Promise<OpenAlarms[]> {
  return store.read.openAlarms({ name });
}

/** Refused: not_found, already_done. */
export async function acknowledge(tools: OperatingTools, alarmId: number, actor: Actor): Promise<void> {
  const [alarm] = Number.isSafeInteger(alarmId) ? await tools.store.read.alarms({ alarmId, limit: 1 }) : [];
  if (!alarm) throw notFound(`alarm ${alarmId}`);
  const log = logLine(tools, actor, ALARM_SEEN, String(alarmId), { name: alarm.name });
  const isFirst =
    alarm.acknowledgedAt === null &&
    // Of several concurrent calls, one wins.
    (await tools.store.commit('claim', { name: `alarm_seen:${alarmId}`, value: actor, log })).isFirst;
  if (!isFirst) throw new OperatingRefused('already_done', 'it is already acknowledged');
}

/** All of a name up to the newest that was shown: newer ones stay open. Refused: not_found, already_done. */
export async function acknowledgeAll(
  tools: OperatingTools,
  wanted: { name: string; through?: number | undefined },
  actor: Actor,
): Promise<{ name: string; through: number; seen: number }> {
  const { name } = wanted;
  const [[known], [open]] = await Promise.all([
    tools.store.read.alarms({ name, limit: 1 }),
    tools.store.read.openAlarms(wanted),
  ]);
  if (!known) throw notFound(`alarm ${name}`);
  const done = new OperatingRefused('already_done', 'they are already acknowledged');
  if (!open) throw done;
  const { newestId: through, open: seen } = open;
  const log = logLine(tools, actor, ALARMS_SEEN, seenSubject(name, through), { seen });
  const { isFirst } = await tools.store.commit('claim', { name: `alarms_seen:${name}:${through}`, value: actor, log });
  if (!isFirst) throw done;
  return { name, through, seen };
}
