// The period of the usage page: presets, and the columns of its chart, which are days or, for a long period, months.

import { taipeiDay, taipeiDayStart, taipeiMonth, taipeiMonthStart } from '../../kit/taipei.ts';
import { date } from '../format.ts';

/** Days since 1970-01-01 in Taipei. `end` is the day after the last. */
export interface Period {
  first: number;
  end: number;
}

export interface PeriodColumn extends Period {
  label: string;
  title: string;
}

const PRESET_DAYS = { today: 1, week: 7, month: 30 } as const;
export const DEFAULT_DAYS = PRESET_DAYS.month;
/** A longer period is shown by month. */
const MOST_DAYS = 92;
const MOST_MONTHS = 36;

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
    ['all', preset(since)],
  ];
}

export function datesOf({ first, end }: Period): Dates {
  return { from: dayText(first), to: dayText(end - 1) };
}

export function columnsOf({ first, end }: Period): PeriodColumn[] {
  return end - first <= MOST_DAYS ? dayColumns(first, end) : monthColumns(first, end);
}

function dayColumns(first: number, end: number): PeriodColumn[] {
  return Array.from({ length: Math.max(0, end - first) }, (_, index) => {
    const title = dayText(first + index);
    return { first: first + index, end: first + index + 1, label: title.slice(5), title };
  });
}

/** The first and the last month are cut where the period is. */
function monthColumns(first: number, end: number): PeriodColumn[] {
  const last = taipeiMonth(taipeiDayStart(end - 1));
  const begin = Math.max(taipeiMonth(taipeiDayStart(first)), last - MOST_MONTHS + 1);
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

export function isByMonth({ first, end }: Period): boolean {
  return end - first > MOST_DAYS;
}

function dayText(day: number): string {
  return date(taipeiDayStart(day));
}
