// Dates and times as they may be written, and what is none of them.

import { expect, test } from 'bun:test';
import { parseMoment } from '../../src/kit/moment.ts';

test.each([
  ['2026-11-16', Date.UTC(2026, 10, 15, 16)],
  ['2024-02-29', Date.UTC(2024, 1, 28, 16)],
  ['2026-11-16T09:30+08:00', Date.UTC(2026, 10, 16, 1, 30)],
  ['2026-11-16T09:30:15+0800', Date.UTC(2026, 10, 16, 1, 30, 15)],
  ['2026-11-16T09:30:15.250Z', Date.UTC(2026, 10, 16, 9, 30, 15, 250)],
  ['2026-11-16T09:30:15.250999-05:00', Date.UTC(2026, 10, 16, 14, 30, 15, 250)],
])('%s is a moment', (text, at) => {
  expect(parseMoment(text)).toBe(at);
});

test.each([
  '',
  '2027',
  '2026-11',
  '20261117',
  '1794879064',
  '2026-02-29',
  '2026-02-30T09:00:00Z',
  '2026-13-01',
  '2026-11-16T09:00:00',
  '2026-11-16T25:00:00Z',
  '2026-11-16T09:00:00+99:00',
  '2026-11-16 09:00:00Z',
  ' 2026-11-16',
  'yesterday',
])('%p is none', (text) => {
  expect(parseMoment(text)).toBeUndefined();
});
