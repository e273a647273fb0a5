// Questions about whole Taipei days, in the one SQL both databases understand.

import { HOUR_MS } from '../kit/clock.ts';
import { taipeiDayStart } from '../kit/taipei.ts';
import type { DaySpend, KeySpend, TrafficDay } from './reads.ts';

export const SPEND_BY_DAY = `SELECT day, sum(requests) AS requests, sum(cost_nano) AS cost_nano FROM usage_days
  WHERE account_id = ? AND day >= ? GROUP BY day ORDER BY day`;

export const SPEND_BY_KEY = `SELECT key_id, sum(requests) AS requests, sum(cost_nano) AS cost_nano FROM usage_days
  WHERE account_id = ? AND day >= ? GROUP BY key_id ORDER BY key_id`;

/** Hours are counted from the epoch; Taipei is 8 ahead. */
export const TRAFFIC_BY_DAY = `SELECT (hour + 8) / 24 AS day, channel, model, sum(ok) AS ok, sum(failed) AS failed
  FROM traffic_hours WHERE hour >= ? GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`;

/** The hour in which a day begins. */
export function trafficHourOf(day: number): number {
  return taipeiDayStart(day) / HOUR_MS;
}

type Row = Readonly<Record<string, unknown>>;

export function decodeDay(row: Row): DaySpend {
  return { day: Number(row.day), requests: Number(row.requests), cost: BigInt(String(row.cost_nano)) };
}

export function decodeKeySpend(row: Row): KeySpend {
  return { keyId: String(row.key_id), requests: Number(row.requests), cost: BigInt(String(row.cost_nano)) };
}

export function decodeTrafficDay(row: Row): TrafficDay {
  return {
    day: Number(row.day),
    channel: String(row.channel),
    model: String(row.model),
    ok: Number(row.ok),
    failed: Number(row.failed),
  };
}
