/** @jsxImportSource hono/jsx */
// Every try that a request took: which channel, how it ended, how long it took.

import type { Attempt } from '../../store/rows.ts';
import { milliseconds } from '../format.ts';
import { type Language, wordsOf } from '../language.ts';
import { statusName } from './request-status.tsx';
import { Scroll } from './scroll.tsx';

export function Attempts({ language, attempts }: { language: Language; attempts: readonly Attempt[] }) {
  const { usage } = wordsOf(language).account;
  return (
    <Scroll label={usage.attempts}>
      <table class="is-usage">
        <thead>
          <tr>
            <th scope="col" class="may-wrap">
              {usage.channel}
            </th>
            <th scope="col">{usage.outcome}</th>
            <th scope="col" class="right">
              {usage.duration}
            </th>
          </tr>
        </thead>
        <tbody>
          {attempts.map((attempt) => (
            <tr>
              <td class="id">{attempt.channel}</td>
              <td class="number">{statusName(language, attempt.outcome)}</td>
              <td class="right number">{milliseconds(attempt.ms)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}
