/** @jsxImportSource hono/jsx */
// The latest requests beside other things, in the few columns that fit. The receipt has the rest.

import type { UsageRecord } from '../../store/rows.ts';
import { dateTime, milliseconds } from '../format.ts';
import type { PageContext } from '../page.tsx';
import { Money } from '../parts/amount.tsx';
import { RequestStatus } from '../parts/attempts.tsx';
import { Heads, Scroll } from '../parts/table.tsx';

interface ShortUsageProps {
  context: PageContext;
  records: readonly UsageRecord[];
  /** Which requests these are. */
  label: string;
}

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
