/** @jsxImportSource hono/jsx */
// The receipt of one request: what was counted, at which price, and every try it took.

import type { Receipt } from '../../accounts/show-receipt.ts';
import { count, milliseconds, money, time } from '../format.ts';
import { type Language, wordsOf } from '../language.ts';
import type { PageContext } from '../page.tsx';
import { AccountPage } from './frame.tsx';
import { statusName } from './usage-table.tsx';

export function ReceiptPage({ context, facts }: { context: PageContext; facts: Receipt }) {
  const { language } = context;
  const { usage } = wordsOf(language).account;
  const { record, lines } = facts;
  const rows: [string, string][] = [
    [usage.time, time(record.at)],
    [usage.model, record.model],
    [usage.channel, record.channel ?? '–'],
    [usage.status, statusName(language, record.status)],
    [usage.firstToken, milliseconds(record.firstTokenMs)],
    [usage.total, milliseconds(record.totalMs)],
    [usage.priceList, String(record.revision)],
    [usage.after, money(record.balanceAfter)],
  ];
  return (
    <AccountPage context={context} tab="usage">
      <h2>
        {usage.receipt} <span class="id">{record.requestId}</span>
      </h2>
      <div class="two">
        <table>
          <tbody>
            {rows.map(([title, value]) => (
              <tr>
                <th scope="row">{title}</th>
                <td class="right number">{value}</td>
              </tr>
            ))}
          </tbody>
        </table>
        <div>
          <table>
            <thead>
              <tr>
                <th scope="col">{usage.line}</th>
                <th scope="col" class="right">
                  {usage.quantity}
                </th>
                <th scope="col" class="right">
                  {usage.unitPrice}
                </th>
                <th scope="col" class="right">
                  {usage.amount}
                </th>
              </tr>
            </thead>
            <tbody>
              {lines.map((line) => (
                <tr>
                  <td>{bucketName(language, line.bucket)}</td>
                  <td class="right number">{count(line.quantity)}</td>
                  <td class="right number">{money(line.unitPrice)}</td>
                  <td class="right number">{money(line.amount)}</td>
                </tr>
              ))}
              <tr>
                <th scope="row">{usage.cost}</th>
                <td />
                <td>{record.estimated ? usage.estimated : ''}</td>
                <td class="right number">
                  <strong>{money(record.cost)}</strong>
                </td>
              </tr>
            </tbody>
          </table>
          <h3>{usage.attempts}</h3>
          <table>
            <thead>
              <tr>
                <th scope="col">{usage.channel}</th>
                <th scope="col">{usage.outcome}</th>
                <th scope="col" class="right">
                  {usage.duration}
                </th>
              </tr>
            </thead>
            <tbody>
              {record.attempts.map((attempt) => (
                <tr>
                  <td class="id">{attempt.channel}</td>
                  <td class="id">{attempt.outcome}</td>
                  <td class="right number">{milliseconds(attempt.ms)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </div>
      <p>
        <a href="/account/usage">{usage.back}</a>
      </p>
    </AccountPage>
  );
}

function bucketName(language: Language, bucket: string): string {
  const names: Readonly<Record<string, string>> = wordsOf(language).account.buckets;
  return names[bucket] ?? bucket;
}
