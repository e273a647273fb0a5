/** @jsxImportSource hono/jsx */
// Every try that a request took: which channel, how it ended, how long it took.

import type { Attempt } from '../../store/rows.ts';
import { milliseconds } from '../format.ts';
import { type Language, wordsOf } from '../language.ts';
import { Scroll } from './scroll.tsx';

interface AttemptsProps {
  language: Language;
  attempts: readonly Attempt[];
  /** How the request ended. */
  status: string;
}

export function Attempts({ language, attempts, status }: AttemptsProps) {
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
              <td class="number">{toldName(language, attempt.outcome, status)}</td>
              <td class="right number">{milliseconds(attempt.ms)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

/** The try that served somebody who did not stay has not brought its answer home. */
function toldName(language: Language, outcome: string, status: string): string {
  return outcomeName(language, outcome === 'ok' && status === 'client_gone' ? status : outcome);
}

/** What has no words is told by its code. */
export function outcomeName(language: Language, outcome: string): string {
  const names: Readonly<Record<string, string>> = wordsOf(language).account.outcomes;
  return Object.hasOwn(names, outcome) ? (names[outcome] ?? outcome) : outcome;
}
