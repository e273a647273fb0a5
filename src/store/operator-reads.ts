// Reads that only an operator asks for: the log of actions, alarms and incidents.

import { ALARM_NAMES, SEVERITIES, type Severity, severityOf } from '../kit/alarms.ts';
import { all, ask, type Condition, given, many, QUICK, read, rowOf, SLOW, type SqlQuery, where } from './read.ts';
import { INCIDENTS, STORED_ACTIONS } from './rows.ts';
import { decoder, json, number, text } from './table.ts';

export interface ActionQuery {
  actor?: string | undefined;
  /** A whole action, or an area with its point (`cards.`). */
  action?: string | undefined;
  subject?: string | undefined;
  before?: number | undefined;
  limit: number;
}

export interface AlarmQuery {
  alarmId?: number | undefined;
  name?: string | undefined;
  /** Only alarms about this subject; empty: those without a subject. */
  subject?: string | undefined;
  before?: number | undefined;
  /** Only those that no operator has acknowledged. */
  openOnly?: boolean | undefined;
  limit: number;
}

/** The position of a group of alarms in their list. */
export interface AlarmPlace {
  severity: Severity;
  newestId: number;
}

export interface OpenAlarmQuery {
  name?: string | undefined;
  subject?: string | undefined;
  /** Up to this alarm. */
  through?: number | undefined;
  limit: number;
  /** Only groups that come after this one. */
  after?: AlarmPlace | undefined;
}

/**
 * An alarm is acknowledged if the log of actions has it: the alarm itself, or all alarms of its name, or of its name and
 * subject, up to one.
 */
export const ALARM_SEEN = 'alarms.acknowledge';
export const ALARMS_SEEN = 'alarms.acknowledge_all';
export const ALARM_GROUP_SEEN = 'alarms.acknowledge_group';
export function seenSubject(
  { name, subject }: { name: string; subject?: string | undefined },
  through: number,
): `${string}:${number}` {
  return `${subject === undefined ? name : `${name} ${subject}`}:${through}`;
}
const DIGITS = `'0123456789'`;
const NAMED = `rtrim(subject, ${DIGITS})`;
const THROUGH = `CAST(substr(subject, length(${NAMED}) + 1) AS BIGINT)`;
const ONE_SEEN = `action = '${ALARM_SEEN}' AND subject = CAST(alarm_id AS TEXT)`;
const NAME = `name || ':'`;
const GROUP = `name || ' ' || alarms.subject || ':'`;
const seenUpTo = (action: string, named: string) => `(action = '${action}'
  AND CASE WHEN action = '${action}' AND ${NAMED} = ${named} THEN ${THROUGH} >= alarm_id ELSE FALSE END)`;
const SEEN = `FROM audit_log WHERE (${ONE_SEEN}) OR ${seenUpTo(ALARMS_SEEN, NAME)} OR ${seenUpTo(ALARM_GROUP_SEEN, GROUP)}`;
/** How far each name and group was seen is found once, not for every alarm. */
const upTo = (action: string) => `(SELECT ${NAMED} AS named, max(${THROUGH}) AS through FROM audit_log
  WHERE action = '${action}' GROUP BY 1)`;
const ALARMS = `alarms LEFT JOIN ${upTo(ALARMS_SEEN)} AS names_seen ON names_seen.named = ${NAME}
  LEFT JOIN ${upTo(ALARM_GROUP_SEEN)} AS groups_seen ON groups_seen.named = ${GROUP}`;
const IS_OPEN = `alarm_id > coalesce(names_seen.through, 0) AND alarm_id > coalesce(groups_seen.through, 0)
  AND NOT EXISTS (SELECT 1 FROM audit_log WHERE ${ONE_SEEN})`;

/** The most severe first. */
const RANK = `CASE ${ALARM_NAMES.map((name) => `WHEN name = '${name}' THEN ${SEVERITIES.indexOf(severityOf(name))}`).join(' ')}
  ELSE ${SEVERITIES.indexOf(severityOf(''))} END`;

const decodeAlarm = decoder({
  alarmId: number('alarm_id'),
  at: number('at'),
  name: text('name'),
  /** The account or channel that it is about; empty if there is none. */
  subject: text('subject'),
  fields: json<Readonly<Record<string, unknown>>>('fields'),
  /** When an operator acknowledged it first, and who; null before. */
  acknowledgedAt: number<number | null>('seen_at'),
  acknowledgedBy: text<string | null>('seen_by'),
});
export interface StoredAlarm extends ReturnType<typeof decodeAlarm> {}

/** Alarms of one name and subject that no operator has acknowledged. */
const decodeOpenAlarms = decoder({
  name: text('name'),
  subject: text('subject'),
  open: number('open'),
  firstAt: number('first_at'),
  newestId: number('newest_id'),
  newestAt: number('newest_at'),
  newestFields: json<Readonly<Record<string, unknown>>>('fields'),
});
export interface OpenAlarms extends ReturnType<typeof decodeOpenAlarms> {}

export const OPERATOR_READS = {
  /** Newest first. */
  actions: read(SLOW, actionsQuery, all(rowOf(STORED_ACTIONS))),
  alarms: read(SLOW, alarmsQuery, all(decodeAlarm)),
  /** By name and subject: of all, of a name or of one subject, up to an alarm. The most severe first, then the newest. */
  openAlarms: read(SLOW, openAlarmsQuery, all(decodeOpenAlarms)),
  /** The newest first, by when they began. */
  incidents: many(QUICK, INCIDENTS, 'ORDER BY started_at DESC, incident_id DESC LIMIT ?', (limit: number) => [limit]),
};

function actionsQuery({ actor, action, subject, before, limit }: ActionQuery): SqlQuery {
  const { sql, values } = where([
    given('actor = ?', actor),
    // A whole area, such as `cards.`: whatever follows the point sorts before the character after it.
    action?.endsWith('.')
      ? ['action >= ? AND action < ?', action, `${action.slice(0, -1)}/`]
      : given('action = ?', action),
    given('subject = ?', subject),
    given('action_id < ?', before),
  ]);
  return ask(`SELECT * FROM audit_log ${sql} ORDER BY action_id DESC LIMIT ?`, ...values, limit);
}

function alarmsQuery({ alarmId, name, subject, before, openOnly, limit }: AlarmQuery): SqlQuery {
  const { sql, values } = where([
    given('name = ?', name),
    given('alarms.subject = ?', subject),
    given('alarm_id = ?', alarmId),
    given('alarm_id < ?', before),
    openOnly && [IS_OPEN],
  ]);
  return ask(
    `SELECT alarm_id, at, name, alarms.subject AS subject, fields, (SELECT min(at) ${SEEN}) AS seen_at,
       (SELECT actor ${SEEN} ORDER BY action_id LIMIT 1) AS seen_by
     FROM ${ALARMS} ${sql} ORDER BY alarm_id DESC LIMIT ?`,
    ...values,
    limit,
  );
}

function openAlarmsQuery({ name, subject, through, limit, after }: OpenAlarmQuery): SqlQuery {
  const { sql, values } = where([
    given('name = ?', name),
    given('alarms.subject = ?', subject),
    [IS_OPEN],
    given('alarm_id <= ?', through),
  ]);
  const later = where([after && laterThan(after)]);
  return ask(
    `SELECT open_groups.*, newest.fields AS fields FROM (
       SELECT name, alarms.subject AS subject, count(*) AS open, min(at) AS first_at, max(alarm_id) AS newest_id,
         max(at) AS newest_at, ${RANK} AS severity_rank
       FROM ${ALARMS} ${sql} GROUP BY name, alarms.subject
     ) AS open_groups JOIN alarms AS newest ON newest.alarm_id = newest_id ${later.sql}
     ORDER BY severity_rank, newest_id DESC LIMIT ?`,
    ...values,
    ...later.values,
    limit,
  );
}

function laterThan({ severity, newestId }: AlarmPlace): Condition {
  const rank = SEVERITIES.indexOf(severity);
  return ['(severity_rank > ? OR (severity_rank = ? AND newest_id < ?))', rank, rank, newestId];
}
