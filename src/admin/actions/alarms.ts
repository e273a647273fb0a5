// Stored alarms, and who acknowledged them.

import { SEVERITIES, type Severity, severityOf } from '../../kit/alarms.ts';
import { ALARM_GROUP_SEEN, ALARM_SEEN, ALARMS_SEEN, type AlarmQuery, seenSubject } from '../../store/operator-reads.ts';
import type { AlarmPlace } from '../../store/reads.ts';
import { logLine } from './audit-log.ts';
import { invalid, notFound, OperatingRefused } from './refused.ts';
import type { Actor, OperatingTools, StoreTools } from './tools.ts';

export type AlarmFilter = Omit<AlarmQuery, 'alarmId' | 'limit'>;

export type Rated<Alarm> = Alarm & { severity: Severity };

function rated<Alarm extends { name: string }>(alarms: readonly Alarm[]): Rated<Alarm>[] {
  return alarms.map((alarm) => ({ ...alarm, severity: severityOf(alarm.name) }));
}

/** Newest first. */
export async function listAlarms({ store }: StoreTools, limit: number, filter: AlarmFilter = {}) {
  return rated(await store.read.alarms({ ...filter, limit }));
}

/** Unacknowledged alarms by name and subject, the most severe first, then the newest. Refused: invalid. */
export async function groupOpenAlarms(
  { store }: StoreTools,
  { limit, cursor }: { limit: number; cursor?: string | undefined },
) {
  const after = cursor === undefined ? undefined : readCursor(cursor);
  const groups = rated(await store.read.openAlarms({ limit: limit + 1, after }));
  const data = groups.slice(0, limit);
  const last = data.at(-1);
  const hasMore = groups.length > limit;
  return { data, hasMore, nextCursor: hasMore && last ? writeCursor(last) : null };
}

function writeCursor({ severity, newestId }: AlarmPlace): string {
  return Buffer.from(`${severity} ${newestId}`).toString('base64url');
}

function readCursor(cursor: string): AlarmPlace {
  const [named, id = ''] = Buffer.from(cursor, 'base64url').toString().split(' ');
  const severity = SEVERITIES.find((one) => one === named);
  if (severity === undefined || !/^\d{1,15}$/.test(id)) {
    throw invalid('cursor', 'must be next_cursor of the page before');
  }
  return { severity, newestId: Number(id) };
}

/** Refused: not_found, already_done. */
export async function acknowledge(tools: OperatingTools, alarmId: number, actor: Actor): Promise<void> {
  const [alarm] = Number.isSafeInteger(alarmId) ? await tools.store.read.alarms({ alarmId, limit: 1 }) : [];
  if (!alarm) throw notFound(`alarm ${alarmId}`);
  const log = logLine(tools, actor, ALARM_SEEN, String(alarmId), { name: alarm.name });
  const isFirst =
    alarm.acknowledgedAt === null &&
    // One of several concurrent calls wins.
    (await tools.store.commit('claim', { name: `alarm_seen:${alarmId}`, value: actor, log })).isFirst;
  if (!isFirst) throw new OperatingRefused('already_done', 'it is already acknowledged');
}

/** Alarms of further groups are acknowledged too, but not counted: the newest group is always read. */
const MAX_GROUPS = 10_000;

/** All of a name, or of one group of it, up to the newest that was shown: newer ones stay open. Refused: not_found, already_done. */
export async function acknowledgeAll(
  tools: OperatingTools,
  wanted: { name: string; subject?: string | undefined; through?: number | undefined },
  actor: Actor,
) {
  const { name, subject } = wanted;
  const [[known], open] = await Promise.all([
    tools.store.read.alarms({ name, subject, limit: 1 }),
    tools.store.read.openAlarms({ ...wanted, limit: MAX_GROUPS }),
  ]);
  if (!known) throw notFound(`alarm ${name}`);
  const done = new OperatingRefused('already_done', 'they are already acknowledged');
  if (open.length === 0) throw done;
  const through = Math.max(...open.map(({ newestId }) => newestId));
  const seen = open.reduce((sum, group) => sum + group.open, 0);
  const group = seenSubject({ name, subject }, through);
  const log = logLine(tools, actor, subject === undefined ? ALARMS_SEEN : ALARM_GROUP_SEEN, group, { seen });
  const { isFirst } = await tools.store.commit('claim', { name: `alarms_seen:${group}`, value: actor, log });
  if (!isFirst) throw done;
  return { name, ...(subject === undefined ? {} : { subject }), through, seen };
}
