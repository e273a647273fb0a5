/** @jsxImportSource hono/jsx */
// Requests without any content, as rows that open: the main facts in one line, more below it, and the receipt with the rest;
// as a short table and as a file; and how one ended.

import type { UsageSheet } from '../../accounts/usage/usage-file.ts';
import { formatNtd } from '../../kit/money.ts';
import { taipeiTime } from '../../kit/taipei.ts';
import { isFailed, type KeyRow, type UsageRecord } from '../../store/rows.ts';
import { count, date, dateTime, milliseconds, money, sentences } from '../format.ts';
import { type Language, wordsOf } from '../language.ts';
import type { PageContext } from '../page.tsx';
import { Money } from '../parts/amount.tsx';
import { RequestStatus, statusName } from '../parts/attempts.tsx';
import { LinkButton } from '../parts/button.tsx';
import { CopyId } from '../parts/code-block.tsx';
import { type Fact, Facts, figure, Table } from '../parts/table.tsx';

interface UsageListProps {
  context: PageContext;
  records: readonly UsageRecord[];
  keyNames: ReadonlyMap<string, string>;
  /** Which requests these are: a receipt leads back to them. */
  query: string;
}

export function UsageList({ context, records, keyNames, query }: UsageListProps) {
  const { usage, usageView } = context.words.account;
  return (
    <>
      <p class="call-line calls-head" aria-hidden="true">
        <span>{usage.time}</span>
        <span>
          {usage.model} · {usage.key} · {usage.channel}
        </span>
        <span>{usage.status}</span>
        <span class="right">{usageView.tokens}</span>
        <span class="right">{usageView.duration}</span>
        <span class="right">{usage.cost}</span>
      </p>
      <ul class="calls">
        {records.map((record) => (
          <li>
            <Call
              context={context}
              record={record}
              keyName={keyNames.get(record.keyId) ?? record.keyId}
              query={query}
            />
          </li>
        ))}
      </ul>
    </>
  );
}

interface CallProps {
  context: PageContext;
  record: UsageRecord;
  keyName: string;
  query: string;
}

function Call({ context, record, keyName, query }: CallProps) {
  const { usage, usageView } = context.words.account;
  const notes = [record.stream ? usage.streamed : '', record.estimated ? usage.isEstimated : ''];
  return (
    <details class="call">
      <summary class="call-line">
        <span class="at number" title={dateTime(record.at)}>
          {dateTime(record.at).slice(YEAR.length)}
        </span>
        <span class="what">
          <span class="id">{record.model}</span>
          <span class="under">
            {keyName} · <span class="by id">{record.channel ?? '–'}</span>
          </span>
        </span>
        <span class="how">
          <RequestStatus language={context.language} status={record.status} />
          <span class="under">{notes.filter((note) => note !== '').join(' · ')}</span>
        </span>
        <span class="right number tokens">
          {count(inputOf(record))} / {outputOf(record, usage)}
        </span>
        <span class="right number took">{milliseconds(record.totalMs)}</span>
        <span class="right number paid">
          <Money value={record.cost} />
        </span>
      </summary>
      <Ending language={context.language} record={record} />
      <Facts facts={factsOf(context, record)} />
      <LinkButton
        look="quiet small"
        href={`/account/receipts/${record.requestId}${query}`}
        text={usageView.details}
        about={` ${record.requestId}`}
      />
    </details>
  );
}

/** Not shown in a line. */
const YEAR = '2026-';

/** Details beyond the row; the receipt has the rest. */
function factsOf({ words, language }: PageContext, record: UsageRecord): Fact[] {
  const { usage } = words.account;
  const written = record.cacheWrite5m + record.cacheWrite1h;
  return [
    [usage.requestId, <CopyId language={language} id={record.requestId} name={usage.requestId} />],
    [usage.firstToken, milliseconds(record.firstTokenMs)],
    [usage.after, <Money value={record.balanceAfter} />],
    ...(record.cachedInput > 0 ? [[usage.cached, count(record.cachedInput)] as const] : []),
    ...(written > 0 ? [[usage.written, count(written)] as const] : []),
  ];
}

/** All of it: plain, cached, and written to a cache. */
function inputOf({ input, cachedInput, cacheWrite5m, cacheWrite1h }: UsageRecord): number {
  return input + cachedInput + cacheWrite5m + cacheWrite1h;
}

/** A request counted only in other units has no output tokens to show. */
function outputOf(record: UsageRecord, words: PageContext['words']['account']['usage']): string {
  const { output, images, seconds, characters, searches } = record;
  const units = [
    [images, words.countImages],
    [seconds, words.countSeconds],
    [characters, words.countCharacters],
    [searches, words.countSearches],
  ] as const;
  const others = units.filter(([quantity]) => quantity > 0).map(([quantity, say]) => say(count(quantity)));
  return [...(output > 0 || others.length === 0 ? [count(output)] : []), ...others].join(' + ');
}

type Ended = Pick<UsageRecord, 'status' | 'rule' | 'cost' | 'held'>;

/** Explains a failed request: the cause, the charge and its reason, and the remedy. */
export function Ending({ language, record }: { language: Language; record: Ended }) {
  if (record.status === 'ok') return null;
  const { account } = wordsOf(language);
  const { cause, remedy } = endingOf(language, record.status);
  return (
    <section class={isFailed(record.status) ? 'notice is-bad' : 'notice is-warning'}>
      <h2>{account.endingTitle}</h2>
      <p>{sentences(cause, chargeText(language, record))}</p>
      {remedy === '' ? null : <p>{remedy}</p>}
    </section>
  );
}

function endingOf(language: Language, status: string): { cause: string; remedy: string } {
  const endings: Readonly<Record<string, { cause: string; remedy: string }>> = wordsOf(language).account.endings;
  return endings[status] ?? { cause: `${statusName(language, status)}.`, remedy: '' };
}

/** A charge in the words of the rule that decided it. */
function chargeText(language: Language, { rule, cost, held }: Ended): string {
  const { usage, usageView } = wordsOf(language).account;
  if (cost === 0n) return usageView.free;
  return rule === null ? usageView.charged(money(cost)) : usage.rules[rule](money(cost), money(held));
}

type ShortUsageProps = Pick<UsageListProps, 'context' | 'records'> & { label: string };

/** The latest requests beside other things, in the few columns that fit. The receipt has the rest. */
export function ShortUsageTable({ context, records, label }: ShortUsageProps) {
  const { usage } = context.words.account;
  const names = [usage.time, usage.model, usage.channel, usage.status];
  return (
    <Table label={label} columns={[...names, figure(usage.total), figure(usage.cost)]} class="stack is-usage">
      {records.map((record) => (
        <tr>
          <td class="at number">
            <a href={`/account/receipts/${record.requestId}`}>{dateTime(record.at)}</a>
          </td>
          <td class="what id">{record.model}</td>
          <td class="by id" data-label={usage.channel}>
            {record.channel ?? '–'}
          </td>
          <td class="how">
            <RequestStatus language={context.language} status={record.status} />
          </td>
          <td class="right number took wide" data-label={usage.total}>
            {milliseconds(record.totalMs)}
          </td>
          <td class="right number paid">
            <Money value={record.cost} />
          </td>
        </tr>
      ))}
    </Table>
  );
}

/** As a visitor chooses one. */
export const DATE = /^\d{4}-\d{2}-\d{2}$/;

/** For spreadsheets: in the visitor's language, with names of keys and Taipei time. Programs use the file of the API. */
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
