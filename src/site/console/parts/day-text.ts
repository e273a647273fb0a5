// A day that the store counts, as a calendar in Taipei writes it: 2026-11-15.

import { taipeiDayStart } from '../../../kit/taipei.ts';
import { date } from '../../format.ts';

export function dayText(day: number): string {
  return date(taipeiDayStart(day));
}
