/** @jsxImportSource hono/jsx */
// How a request ended, and every try that it took: which channel, how it ended, how long it took. An outcome without a text is
// shown by its code.

import { type Attempt, isFailed, type UsageRecord } from '../../store/rows.ts';
import { milliseconds } from '../format.ts';
import { type Language, wordFor, wordsOf } from '../language.ts';
import { figure, Table } from './table.tsx';

interface AttemptsProps {
  language: Language;
  attempts: readonly Attempt[];
  status: string;
}

export function Attempts({ language, attempts, status }: AttemptsProps) {
  const { usage } = wordsOf(language).account;
  const hasModels = attempts.some(({ model }) => model !== undefined);
  const isRoutedByCaller = attempts.some(({ routing }) => routing === 'caller');
  return (
    <>
      {isRoutedByCaller && <p class="faint">{usage.callerRouting}</p>}
      <Table
        label={usage.attempts}
        columns={[...(hasModels ? [usage.model] : []), usage.channel, usage.outcome, figure(usage.duration)]}
        class="is-usage"
      >
        {attempts.map((attempt) => (
          <tr>
            {hasModels && <td class="id">{attempt.model}</td>}
            <td class="id">{attempt.channel}</td>
            <td class="number">{attemptOutcome(language, attempt.outcome, status)}</td>
            <td class="right number">{milliseconds(attempt.ms)}</td>
          </tr>
        ))}
      </Table>
    </>
  );
}

/** A try that succeeded but whose client left did not deliver its answer. */
function attemptOutcome(language: Language, outcome: string, status: string): string {
  return outcomeName(language, outcome === 'ok' && status === 'client_gone' ? status : outcome);
}

export function outcomeName(language: Language, outcome: string): string {
  return wordFor(wordsOf(language).account.outcomes, outcome) ?? outcome;
}

export function RequestStatus({ language, status }: { language: Language; status: UsageRecord['status'] }) {
  const look = status === 'ok' ? 'good nowrap' : isFailed(status) ? 'bad' : 'faint';
  return <span class={look}>{statusName(language, status)}</span>;
}

export function statusName(language: Language, status: string): string {
  return wordFor(wordsOf(language).account.statuses, status) ?? status;
}
