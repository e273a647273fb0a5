// The period of the usage page: presets, and the columns of its chart: hours of a day, days, weeks or months, so that there
// are never many.

import { taipeiDay, taipeiDayStart, taipeiMonth, taipeiMonthStart } from '../../kit/taipei.ts';
import { date } from '../format.ts';

/** Days since 1970-01-01 in Taipei. `end` is the day after the last. */
export interface Period {
  first: number;
  end: number;
}

/** From one day to the day before another, or from one hour of a day to another. */
export interface PeriodColumn extends Period {
  label: string;
  title: string;
}

export type PeriodUnit = 'hour' | 'day' | 'week' | 'month';

const PRESET_DAYS = { today: 1, week: 7, month: 30, quarter: 90 } as const;
export const DEFAULT_DAYS = PRESET_DAYS.month;
/** A longer period is shown by week, and one of more weeks by month. */
const MAX_DAYS = 31;
const MAX_WEEKS = 26;
const MAX_MONTHS = 36;
const WEEK = 7;
const HOURS = 24;
const LABELLED_HOURS = 4;

/** As the fields `from` and `to` have it: dates, the last one included. */
export interface Dates {
  from: string;
  to: string;
}

/** `since`: the day from which there can be usage. */
export function presetsOf(today: number, since: number): [name: keyof typeof PRESET_DAYS | 'all', dates: Dates][] {
  const preset = (first: number): Dates => ({ from: dayText(first), to: '' });
  return [
    ['today', preset(today)],
    ['week', preset(today - PRESET_DAYS.week + 1)],
    ['month', preset(today - PRESET_DAYS.month + 1)],
    ['quarter', preset(today - PRESET_DAYS.quarter + 1)],
    ['all', preset(since)],
  ];
}

export function datesOf({ first, end }: Period): Dates {
  return { from: dayText(first), to: dayText(end - 1) };
}

/** A single column would be no chart. */
export function unitOf({ first, end }: Period): PeriodUnit {
  const days = end - first;
  if (days <= 1) return 'hour';
  if (days <= MAX_DAYS) return 'day';
  return days <= MAX_WEEKS * WEEK ? 'week' : 'month';
}

const COLUMNS = { hour: hourColumns, day: dayColumns, week: weekColumns, month: monthColumns };

export function columnsOf(period: Period): PeriodColumn[] {
  return COLUMNS[unitOf(period)](period.first, period.end);
}

function hourColumns(day: number): PeriodColumn[] {
  return Array.from({ length: HOURS }, (_, hour) => {
    const time = `${String(hour).padStart(2, '0')}:00`;
    const label = hour % LABELLED_HOURS === 0 ? time : '';
    return { first: hour, end: hour + 1, label, title: `${dayText(day)} ${time} UTC+8` };
  });
}

function dayColumns(first: number, end: number): PeriodColumn[] {
  return Array.from({ length: Math.max(0, end - first) }, (_, index) => {
    const title = dayText(first + index);
    return { first: first + index, end: first + index + 1, label: title.slice(5), title };
  });
}

/** Counted back from the last day, so that the newest week is whole. */
function weekColumns(first: number, end: number): PeriodColumn[] {
  const weeks = Math.ceil((end - first) / WEEK);
  return Array.from({ length: weeks }, (_, index) => {
    const next = end - (weeks - 1 - index) * WEEK;
    const from = Math.max(first, next - WEEK);
    return { first: from, end: next, label: dayText(from).slice(5), title: `${dayText(from)} – ${dayText(next - 1)}` };
  });
}

/** The first and the last month are cut where the period is. */
function monthColumns(first: number, end: number): PeriodColumn[] {
  const last = taipeiMonth(taipeiDayStart(end - 1));
  const begin = Math.max(taipeiMonth(taipeiDayStart(first)), last - MAX_MONTHS + 1);
  return Array.from({ length: last - begin + 1 }, (_, index) => {
    const month = begin + index;
    const title = date(taipeiMonthStart(month)).slice(0, 7);
    return {
      first: Math.max(first, taipeiDay(taipeiMonthStart(month))),
      end: Math.min(end, taipeiDay(taipeiMonthStart(month + 1))),
      label: title,
      title,
    };
  });
}

function dayText(day: number): string {
  return date(taipeiDayStart(day));
}
