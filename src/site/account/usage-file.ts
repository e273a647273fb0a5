// The usage as a file for spreadsheets: in the visitor's language, with names of keys and Taipei time. Programs use the
// file of the API.

import type { UsageSheet } from '../../accounts/usage/usage-file.ts';
import { formatNtd } from '../../kit/money.ts';
import { taipeiTime } from '../../kit/taipei.ts';
import type { KeyRow, UsageRecord } from '../../store/rows.ts';
import { date } from '../format.ts';
import { type Language, wordsOf } from '../language.ts';
import { statusName } from '../parts/attempts.tsx';

/** As a visitor chooses one. */
export const DATE = /^\d{4}-\d{2}-\d{2}$/;

export function usageSheet(keys: readonly KeyRow[], language: Language): UsageSheet {
  const { usage, buckets } = wordsOf(language).account;
  const { file, unit } = usage;
  const known = new Map(keys.map((key) => [key.keyId, key]));
  // With its dots it is no number to a spreadsheet: 0012 stays what it is.
  const endOf = (key: KeyRow | undefined) => (key ? `…${key.last4}` : undefined);
  const answer = (isSo: boolean) => (isSo ? usage.yes : usage.no);
  const columns: [title: string, value: (record: UsageRecord) => unknown][] = [
    [file.time, ({ at }) => taipeiTime(at)],
    [usage.requestId, ({ requestId }) => requestId],
    [file.keyName, ({ keyId }) => known.get(keyId)?.name],
    [file.keyLast4, ({ keyId }) => endOf(known.get(keyId))],
    [file.keyId, ({ keyId }) => keyId],
    [usage.model, ({ model }) => model],
    [usage.channel, ({ channel }) => channel],
    [file.endpoint, ({ endpoint }) => endpoint],
    [usage.status, ({ status }) => statusName(language, status)],
    [usage.stream, ({ stream }) => answer(stream)],
    [buckets.input, ({ input }) => input],
    [buckets.cached_input, ({ cachedInput }) => cachedInput],
    [buckets.cache_write_5m, ({ cacheWrite5m }) => cacheWrite5m],
    [buckets.cache_write_1h, ({ cacheWrite1h }) => cacheWrite1h],
    [buckets.output, ({ output }) => output],
    [usage.reasoning, ({ reasoning }) => reasoning],
    [usage.images, ({ images }) => images],
    [buckets.second, ({ seconds }) => seconds],
    [buckets.character, ({ characters }) => characters],
    [buckets.search, ({ searches }) => searches],
    [unit(usage.firstToken, 'ms'), ({ firstTokenMs }) => firstTokenMs],
    [unit(usage.total, 'ms'), ({ totalMs }) => totalMs],
    [unit(usage.cost, 'NT$'), ({ cost }) => formatNtd(cost)],
    [unit(usage.after, 'NT$'), ({ balanceAfter }) => formatNtd(balanceAfter)],
    [usage.estimated, ({ estimated }) => answer(estimated)],
    [usage.priceList, ({ revision }) => revision],
  ];
  return {
    titles: columns.map(([title]) => title),
    row: (record) => columns.map(([, value]) => value(record)),
  };
}

/** The days that were asked for; without a last one, up to today. */
export function usageFileName(given: URLSearchParams, now: number): string {
  const days = [given.get('from') ?? '', given.get('to') || date(now)].filter((day) => DATE.test(day));
  return `${['usage', ...days].join('_')}.csv`;
}
