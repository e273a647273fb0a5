// An alarm is something an operator must look at: one log line of level `alarm`, a counter, and every sink that was
// attached (a row in the store, a call to ALARM_WEBHOOK_URL). Raising one never throws and never waits.

import type { Log, LogFields } from './log.ts';

export const ALARM_NAMES = [
  'upstream_refused_our_key',
  'upstream_route_missing',
  'usage_above_hold',
  'usage_invalid',
  'settle_retrying',
  'close_failed',
  'settle_after_release',
  'store_failed',
  'wallet_wrong',
  'ledger_unbalanced',
  'config_rejected',
] as const;
export type AlarmName = (typeof ALARM_NAMES)[number];

export interface Alarm {
  name: AlarmName;
  fields: LogFields;
}

export interface Alarms {
  raise(name: AlarmName, fields?: LogFields): void;
  counts(): ReadonlyMap<AlarmName, number>;
  attach(sink: (alarm: Alarm) => Promise<void>): void;
}

export function createAlarms(log: Log): Alarms {
  const counts = new Map<AlarmName, number>();
  const sinks: ((alarm: Alarm) => Promise<void>)[] = [];
  return {
    raise(name, fields = {}) {
      counts.set(name, (counts.get(name) ?? 0) + 1);
      log('alarm', name, fields);
      for (const sink of sinks) {
        sink({ name, fields }).catch(() => log('warn', 'alarm_not_delivered', { code: name }));
      }
    },
    counts: () => counts,
    attach: (sink) => void sinks.push(sink),
  };
}
