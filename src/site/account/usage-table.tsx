/** @jsxImportSource hono/jsx */
// Requests as rows, without any content. On a narrow screen a row becomes a few lines, and the receipt has the rest.

import type { UsageRecord } from '../../store/rows.ts';
import { count, dateTime, milliseconds } from '../format.ts';
import type { PageContext } from '../page.tsx';
import { Money } from '../parts/amount.tsx';
import { RequestStatus } from '../parts/attempts.tsx';
import { Heads, Scroll, Under } from '../parts/table.tsx';

interface UsageTableProps {
  context: PageContext;
  records: readonly UsageRecord[];
  /** What a key is called, by its id. */
  keyNames: ReadonlyMap<string, string>;
  /** Which requests these are: a receipt leads back to them. */
  query: string;
}

export function UsageTable({ context, records, keyNames, query }: UsageTableProps) {
  const { usage, tabs } = context.words.account;
  return (
    <Scroll label={tabs.usage}>
      <table class="stack is-usage">
        <Heads
          texts={[
            <Under of={usage.time} text={usage.request} />,
            <Under of={usage.model} text={usage.key} />,
            usage.channel,
            <Under of={usage.status} text={usage.stream} />,
          ]}
          right={[
            usage.input,
            usage.output,
            <Under of={usage.firstToken} text={usage.total} />,
            <Under of={usage.cost} text={usage.after} />,
          ]}
        />
        <tbody>
          {records.map((record) => {
            const keyName = keyNames.get(record.keyId) ?? record.keyId;
            return <UsageRow context={context} record={record} keyName={keyName} query={query} />;
          })}
        </tbody>
      </table>
    </Scroll>
  );
}

interface UsageRowProps {
  context: PageContext;
  record: UsageRecord;
  keyName: string;
  query: string;
}

function UsageRow({ context, record, keyName, query }: UsageRowProps) {
  const { usage, overview } = context.words.account;
  const notes = [record.stream ? usage.streamed : '', record.estimated ? usage.isEstimated : ''];
  return (
    <tr>
      <td class="at">
        <span class="number">{dateTime(record.at)}</span>
        <a class="under id" href={`/account/receipts/${record.requestId}${query}`}>
          {record.requestId}
        </a>
      </td>
      <td class="what">
        <span class="id">{record.model}</span>
        <span class="under">{keyName}</span>
      </td>
      <td class="by id" data-label={usage.channel}>
        {record.channel ?? '–'}
      </td>
      <td class="how">
        <RequestStatus language={context.language} status={record.status} />
        <span class="under">{notes.filter((note) => note !== '').join(' · ')}</span>
      </td>
      <td class="right number in wide" data-label={usage.input}>
        {count(record.input)}
        <Part name={usage.cached} tokens={record.cachedInput} />
        <Part name={usage.written} tokens={record.cacheWrite5m + record.cacheWrite1h} />
      </td>
      <td class="right number out wide" data-label={usage.output}>
        {outputOf(record, usage)}
      </td>
      <td class="right number took wide" data-label={usage.firstToken}>
        {milliseconds(record.firstTokenMs)}
        <span class="under" data-label={usage.total}>
          {milliseconds(record.totalMs)}
        </span>
      </td>
      <td class="right number paid">
        <Money value={record.cost} />
        <span class="under" data-label={overview.balance}>
          <Money value={record.balanceAfter} />
        </span>
      </td>
    </tr>
  );
}

/** An answer of images alone has no output tokens to show. */
function outputOf({ output, images }: UsageRecord, { countImages }: PageContext['words']['account']['usage']): string {
  const tokens = output > 0 || images === 0 ? [count(output)] : [];
  return [...tokens, ...(images > 0 ? [countImages(count(images))] : [])].join(' + ');
}

/** What of the input the cache had or took; most requests have none of it. */
function Part({ name, tokens }: { name: string; tokens: number }) {
  if (tokens === 0) return null;
  return (
    <span class="under">
      {name} {count(tokens)}
    </span>
  );
}

interface ShortUsageProps extends Pick<UsageTableProps, 'context' | 'records'> {
  /** Which requests these are. */
  label: string;
}

/** The few columns that fit beside other things. */
export function ShortUsageTable({ context, records, label }: ShortUsageProps) {
  const { usage } = context.words.account;
  return (
    <Scroll label={label}>
      <table class="stack is-usage is-short">
        <Heads texts={[usage.time, usage.model, usage.channel, usage.status]} right={[usage.total, usage.cost]} />
        <tbody>
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
        </tbody>
      </table>
    </Scroll>
  );
}
