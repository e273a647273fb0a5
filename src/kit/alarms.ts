// An alarm needs the operator's attention: one log line of level `alarm`, a counter, and every attached sink (a row in
// the store, a call to ALARM_WEBHOOK_URL). Raising one never throws and never waits.

import type { Log, LogFields } from './log.ts';

export const SEVERITIES = ['critical', 'warning', 'info'] as const;
export type Severity = (typeof SEVERITIES)[number];

/**
 * `critical`: customers or money are affected until an operator acts. `warning`: check it today. `info`: no action is
 * needed.
 */
export const ALARM_SEVERITIES = {
  upstream_refused_our_key: 'critical',
  upstream_route_missing: 'warning',
  upstream_balance_low: 'warning',
  usage_above_hold: 'warning',
  usage_invalid: 'info',
  account_losses: 'warning',
  settle_retrying: 'warning',
  close_failed: 'critical',
  settle_after_release: 'warning',
  store_failed: 'critical',
  wallet_wrong: 'critical',
  ledger_unbalanced: 'critical',
  config_rejected: 'warning',
} as const satisfies Record<string, Severity>;
export type AlarmName = keyof typeof ALARM_SEVERITIES;
export const ALARM_NAMES = Object.keys(ALARM_SEVERITIES) as readonly AlarmName[];

const BY_NAME: ReadonlyMap<string, Severity> = new Map(Object.entries(ALARM_SEVERITIES));

/** A name that an older version stored and this one no longer raises is a warning. */
export function severityOf(name: string): Severity {
  return BY_NAME.get(name) ?? 'warning';
}

/** The subject of an alarm: alarms with one name and subject are one group. */
export function alarmSubject({ account_id: accountId, channel }: LogFields): string {
  return accountId ?? channel ?? '';
}

export interface Alarm {
  name: AlarmName;
  fields: LogFields;
}

export interface Alarms {
  raise(name: AlarmName, fields?: LogFields): void;
  counts(): ReadonlyMap<AlarmName, number>;
  /** `name`: the sink's name in the log if it fails. */
  attach(name: string, sink: AlarmSink): void;
}

export type AlarmSink = (alarm: Alarm) => Promise<void>;

/** Thrown by a sink with a reason of our own, which is logged. */
export class NotDelivered extends Error {
  override name = 'NotDelivered';
}

export function createAlarms(log: Log): Alarms {
  const counts = new Map<AlarmName, number>();
  const sinks = new Map<string, AlarmSink>();
  return {
    raise(name, fields = {}) {
      counts.set(name, (counts.get(name) ?? 0) + 1);
      log('alarm', name, { severity: ALARM_SEVERITIES[name], ...fields });
      for (const [place, sink] of sinks) {
        sink({ name, fields }).catch((error: unknown) => {
          const detail = error instanceof NotDelivered ? `${place}: ${error.message}` : place;
          log('warn', 'alarm_not_delivered', { code: name, detail });
        });
      }
    },
    counts: () => counts,
    attach: (name, sink) => void sinks.set(name, sink),
  };
}
