// An alarm needs the operator's attention: one log line of level `alarm`, a counter, and every attached sink (a row in
// the store, a call to ALARM_WEBHOOK_URL). Raising one never throws and never waits.

import type { Log, LogFields } from './log.ts';

export const ALARM_NAMES = [
  'upstream_refused_our_key',
  'upstream_route_missing',
  'usage_above_hold',
  'usage_invalid',
  'account_losses',
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
      log('alarm', name, fields);
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
