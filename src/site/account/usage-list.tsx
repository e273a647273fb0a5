/** @jsxImportSource hono/jsx */
// Requests as rows that open, without any content: the main facts in one line, more below it, and the receipt with the rest.

import type { UsageRecord } from '../../store/rows.ts';
import { count, dateTime, milliseconds } from '../format.ts';
import type { PageContext } from '../page.tsx';
import { Money } from '../parts/amount.tsx';
import { RequestStatus } from '../parts/attempts.tsx';
import { LinkButton } from '../parts/button.tsx';
import { CopyId } from '../parts/copy-id.tsx';
import { type Fact, Facts } from '../parts/table.tsx';
import { Ending } from './ending.tsx';

interface UsageListProps {
  context: PageContext;
  records: readonly UsageRecord[];
  /** Names of keys by id. */
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
