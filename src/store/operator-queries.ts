// What only an operator asks, in the one SQL both databases understand; values always travel as parameters.

import { taipeiDayStart } from '../kit/taipei.ts';
import { type Condition, type Question, where } from './question.ts';
import type {
  AccountQuery,
  ActionQuery,
  AlarmQuery,
  CardCount,
  ChannelDay,
  ChannelRevision,
  FoundAccount,
  OpenAlarms,
  Reads,
  RevenueDay,
} from './reads.ts';
import { ACTORS, CONFIG_APPLY, type StoredAction, type StoredAlarm } from './rows.ts';
import { decodeTotals, SUMMED } from './usage-queries.ts';

type Row = Readonly<Record<string, unknown>>;

export function actionsQuestion({ actor, action, subject, before, limit }: ActionQuery): Question {
  const conditions: Condition[] = [];
  if (actor !== undefined) conditions.push(['actor = ?', actor]);
  // A whole area, such as `cards.`: whatever follows the point sorts before the character after it.
  if (action?.endsWith('.')) conditions.push(['action >= ? AND action < ?', action, `${action.slice(0, -1)}/`]);
  else if (action !== undefined) conditions.push(['action = ?', action]);
  if (subject !== undefined) conditions.push(['subject = ?', subject]);
  if (before !== undefined) conditions.push(['action_id < ?', before]);
  const { sql, values } = where(conditions);
  return {
    sql: `SELECT * FROM audit_log ${sql} ORDER BY action_id DESC LIMIT ?`,
    values: [...values, limit],
  };
}

export function decodeAction(row: Row): StoredAction {
  return {
    actionId: Number(row.action_id),
    at: Number(row.at),
    actor: String(row.actor),
    action: String(row.action),
    subject: String(row.subject),
    detail: JSON.parse(String(row.detail)),
  };
}

/** An alarm was seen when the log says so: of itself, or of all of its name up to one. */
export const ALARM_SEEN = 'alarms.acknowledge';
export const ALARMS_SEEN = 'alarms.acknowledge_all';
export const seenSubject = (name: string, through: number) => `${name}:${through}`;
const DIGITS = `'0123456789'`;
const NAMED = `rtrim(subject, ${DIGITS})`;
const THROUGH = `CAST(substr(subject, length(${NAMED}) + 1) AS BIGINT)`;
const ONE_SEEN = `action = '${ALARM_SEEN}' AND subject = CAST(alarm_id AS TEXT)`;
const SEEN = `FROM audit_log WHERE (${ONE_SEEN}) OR (action = '${ALARMS_SEEN}'
  AND CASE WHEN action = '${ALARMS_SEEN}' AND ${NAMED} = name || ':' THEN ${THROUGH} >= alarm_id ELSE FALSE END)`;
/** How far each name was seen is found once, not for every alarm. */
const ALARMS = `alarms LEFT JOIN (SELECT ${NAMED} AS named, max(${THROUGH}) AS through FROM audit_log
  WHERE action = '${ALARMS_SEEN}' GROUP BY 1) AS names_seen ON named = name || ':'`;
const IS_OPEN = `(through IS NULL OR alarm_id > through) AND NOT EXISTS (SELECT 1 FROM audit_log WHERE ${ONE_SEEN})`;

export function alarmsQuestion({ alarmId, name, before, openOnly, limit }: AlarmQuery): Question {
  const conditions: Condition[] = [];
  if (alarmId !== undefined) conditions.push(['alarm_id = ?', alarmId]);
  if (name !== undefined) conditions.push(['name = ?', name]);
  if (before !== undefined) conditions.push(['alarm_id < ?', before]);
  if (openOnly) conditions.push([IS_OPEN]);
  const { sql, values } = where(conditions);
  return {
    sql: `SELECT alarm_id, at, name, fields, (SELECT min(at) ${SEEN}) AS seen_at,
        (SELECT actor ${SEEN} ORDER BY action_id LIMIT 1) AS seen_by
      FROM ${ALARMS} ${sql} ORDER BY alarm_id DESC LIMIT ?`,
    values: [...values, limit],
  };
}

export function decodeAlarm(row: Row): StoredAlarm {
  return {
    alarmId: Number(row.alarm_id),
    at: Number(row.at),
    name: String(row.name),
    fields: JSON.parse(String(row.fields)),
    acknowledgedAt: row.seen_at === null ? null : Number(row.seen_at),
    acknowledgedBy: row.seen_by === null ? null : String(row.seen_by),
  };
}

export function openAlarmsQuestion({ name, through }: Parameters<Reads['openAlarms']>[0]): Question {
  const conditions: Condition[] = [[IS_OPEN]];
  if (name !== undefined) conditions.push(['name = ?', name]);
  if (through !== undefined) conditions.push(['alarm_id <= ?', through]);
  const { sql, values } = where(conditions);
  return {
    sql: `SELECT name, count(*) AS open, max(alarm_id) AS newest_id, max(at) AS newest_at FROM ${ALARMS}
      ${sql} GROUP BY name ORDER BY 3 DESC`,
    values,
  };
}

export function decodeOpenAlarms(row: Row): OpenAlarms {
  return {
    name: String(row.name),
    open: Number(row.open),
    newestId: Number(row.newest_id),
    newestAt: Number(row.newest_at),
  };
}

const BY_CARD_CODE = `SELECT redeemed_by AS account_id, 'card_code' AS found_by FROM cards WHERE hash = ?`;

/** Whole words only, each by an index of its own. Of a request whose record is no longer kept, the entry is. */
const BY_TEXT = `SELECT account_id, 'account' AS found_by FROM accounts WHERE account_id = ?
  UNION ALL SELECT account_id, 'key' FROM keys WHERE key_id = ?
  UNION ALL SELECT account_id, 'last4' FROM keys WHERE last4 = ?
  UNION ALL SELECT redeemed_by, 'card' FROM cards WHERE serial = ?
  UNION ALL SELECT account_id, 'login' FROM login_names WHERE name = ?
  UNION ALL SELECT account_id, 'request' FROM usage_records WHERE request_id = ?
  UNION ALL SELECT account_id, 'request' FROM holds WHERE request_id = ?
  UNION ALL SELECT account_id, 'request' FROM entries WHERE kind = 'usage' AND reference = ?`;

export function findAccountsQuestion(wanted: AccountQuery, limit: number): Question {
  const found = (ways: string, values: readonly string[]) => ({
    sql: `SELECT DISTINCT found.account_id, found_by, balance_nano, frozen FROM (${ways}) AS found
      JOIN wallets ON wallets.account_id = found.account_id ORDER BY 1 DESC, 2 LIMIT ?`,
    values: [...values, limit],
  });
  if ('cardHash' in wanted) return found(BY_CARD_CODE, [wanted.cardHash]);
  const { text } = wanted;
  return found(BY_TEXT, [text, text, text, text.toUpperCase(), text.toLowerCase(), text, text, text]);
}

export function decodeFound(row: Row): FoundAccount {
  return {
    accountId: String(row.account_id),
    // The statement above is the only source of these words.
    by: String(row.found_by) as FoundAccount['by'],
    balance: BigInt(String(row.balance_nano)),
    frozen: row.frozen === true || Number(row.frozen) === 1,
  };
}

export function cardCountsQuestion(batchId: string | undefined, at: number): Question {
  return {
    sql: `SELECT batch_id, state, count(*) AS cards FROM (
        SELECT batch_id, CASE WHEN state = 'issued' AND expires_at <= ? THEN 'expired' ELSE state END AS state
        FROM cards ${batchId === undefined ? '' : 'WHERE batch_id = ?'}
      ) AS counted GROUP BY batch_id, state`,
    values: batchId === undefined ? [at] : [at, batchId],
  };
}

export function decodeCardCount(row: Row): CardCount {
  return { batchId: String(row.batch_id), state: String(row.state) as CardCount['state'], cards: Number(row.cards) };
}

export const REVENUE_BY_DAY = `SELECT day, sum(requests) AS requests, count(DISTINCT account_id) AS accounts,
    sum(cost_nano) AS cost_nano FROM usage_days WHERE day >= ? GROUP BY day ORDER BY day`;

export function decodeRevenue(row: Row): RevenueDay {
  return {
    day: Number(row.day),
    requests: Number(row.requests),
    accounts: Number(row.accounts),
    revenue: BigInt(String(row.cost_nano)),
  };
}

const SUMS = SUMMED.map((name) => `sum(${name}) AS ${name}`).join(', ');

/** What one channel served, from a day to the day before another. */
export const CHANNEL_DAYS = `SELECT day, model, sum(requests) AS requests, ${SUMS}
  FROM usage_days WHERE channel = ? AND day >= ? AND day < ? GROUP BY day, model ORDER BY day, model`;

export function decodeChannelDay(row: Row): ChannelDay {
  return { day: Number(row.day), model: String(row.model), ...decodeTotals(row) };
}

/** Records are found by their account: none but those of who used the channel that day are looked at. */
export function channelRevisionsQuestion(channel: string, day: number): Question {
  return {
    sql: `SELECT CAST(? AS BIGINT) AS day, revision, model, count(*) AS requests, ${SUMS} FROM usage_records
      WHERE account_id IN (SELECT account_id FROM usage_days WHERE day = ? AND channel = ?)
        AND at >= ? AND at < ? AND channel = ?
      GROUP BY revision, model ORDER BY revision, model`,
    values: [day, day, channel, taipeiDayStart(day), taipeiDayStart(day + 1), channel],
  };
}

export function decodeChannelRevision(row: Row): ChannelRevision {
  return { ...decodeChannelDay(row), revision: Number(row.revision) };
}

/** Documents are large; a list does without them. */
export const REVISIONS_BEFORE = `SELECT revision, '' AS document, source, source_hash, created_at, actor, action
  FROM revisions WHERE revision < ? ORDER BY revision DESC LIMIT ?`;

const LAST_FILE = `SELECT coalesce(max(revision), 0) FROM revisions WHERE source = 'file'`;

/** A text that the last file had, or what the command line applied last since then. Edits by other means leave it so. */
export const WAS_APPLIED = `SELECT revision FROM revisions WHERE source_hash = ? AND (revision = (${LAST_FILE})
  OR revision = (SELECT max(revision) FROM revisions WHERE revision > (${LAST_FILE})
    AND source = 'operator' AND actor = '${ACTORS.commandLine}' AND action = '${CONFIG_APPLY}'))`;
