// Requests as rows: everything that is known of each, which is nothing of what was said.

import type { UsageRecord } from '../../store/rows.ts';
import { count, milliseconds, money, time } from '../format.ts';
import { type Language, wordsOf } from '../language.ts';
import { Scroll } from '../parts/scroll.tsx';

interface UsageTableProps {
  language: Language;
  records: readonly UsageRecord[];
  /** What a key is called, by its id. */
  keyNames: ReadonlyMap<string, string>;
}

export function UsageTable({ language, records, keyNames }: UsageTableProps) {
  const { usage } = wordsOf(language).account;
  const right = [
    usage.input,
    usage.cached,
    usage.written,
    usage.output,
    usage.firstToken,
    usage.total,
    usage.cost,
    usage.after,
  ];
  return (
    <Scroll label={usage.lead}>
      <table>
        <thead>
          <tr>
            <th scope="col">{usage.time}</th>
            <th scope="col">{usage.model}</th>
            <th scope="col">{usage.channel}</th>
            <th scope="col">{usage.status}</th>
            <th scope="col">{usage.key}</th>
            <th scope="col">{usage.stream}</th>
            {right.map((title) => (
              <th scope="col" class="right">
                {title}
              </th>
            ))}
            <th scope="col">{usage.request}</th>
          </tr>
        </thead>
        <tbody>
          {records.map((record) => (
            <UsageRow language={language} record={record} keyName={keyNames.get(record.keyId) ?? record.keyId} />
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

function UsageRow({ language, record, keyName }: { language: Language; record: UsageRecord; keyName: string }) {
  const { usage } = wordsOf(language).account;
  const written = record.cacheWrite5m + record.cacheWrite1h;
  const output =
    record.images > 0 ? `${count(record.output)} + ${count(record.images)} ${usage.images}` : count(record.output);
  return (
    <tr>
      <td class="nowrap number">{time(record.at)}</td>
      <td class="id">{record.model}</td>
      <td class="id">{record.channel ?? '–'}</td>
      <td class={record.status === 'ok' ? 'good nowrap' : 'bad nowrap'}>{statusName(language, record.status)}</td>
      <td class="nowrap">{keyName}</td>
      <td>{record.stream ? usage.yes : usage.no}</td>
      <td class="right number">{count(record.input)}</td>
      <td class="right number">{count(record.cachedInput)}</td>
      <td class="right number">{count(written)}</td>
      <td class="right number">{output}</td>
      <td class="right number">{milliseconds(record.firstTokenMs)}</td>
      <td class="right number">{milliseconds(record.totalMs)}</td>
      <td class="right number">{money(record.cost)}</td>
      <td class="right number">{money(record.balanceAfter)}</td>
      <td class="id nowrap">
        <a href={`/account/receipts/${record.requestId}`}>{record.requestId}</a>
      </td>
    </tr>
  );
}

/** The few columns that fit beside other things. */
export function ShortUsageTable({ language, records }: Omit<UsageTableProps, 'keyNames'>) {
  const { usage } = wordsOf(language).account;
  return (
    <Scroll label={usage.lead}>
      <table>
        <thead>
          <tr>
            <th scope="col">{usage.time}</th>
            <th scope="col">{usage.model}</th>
            <th scope="col">{usage.channel}</th>
            <th scope="col">{usage.status}</th>
            <th scope="col" class="right">
              {usage.total}
            </th>
            <th scope="col" class="right">
              {usage.cost}
            </th>
          </tr>
        </thead>
        <tbody>
          {records.map((record) => (
            <tr>
              <td class="nowrap number">{time(record.at)}</td>
              <td class="id">{record.model}</td>
              <td class="id">{record.channel ?? '–'}</td>
              <td class={record.status === 'ok' ? 'good nowrap' : 'bad nowrap'}>
                {statusName(language, record.status)}
              </td>
              <td class="right number">{milliseconds(record.totalMs)}</td>
              <td class="right number">{money(record.cost)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

export function statusName(language: Language, status: string): string {
  const names: Readonly<Record<string, string>> = wordsOf(language).account.statuses;
  return Object.hasOwn(names, status) ? (names[status] ?? status) : status;
}
