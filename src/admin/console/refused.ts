// Refusals of operator actions and faults of the gateway, as text in the reader's language.

import type { Fault } from '../../faults/fault.ts';
import { faultText } from '../../site/fault-text.ts';
import { sentences } from '../../site/format.ts';
import type { Notice } from '../../site/frame.tsx';
import type { Language } from '../../site/language.ts';
import { OperatingRefused, REFUSAL_STATUSES } from '../actions/refused.ts';

import { consoleWords } from './words/words.ts';

export function refusalNotice(language: Language, error: OperatingRefused): Notice {
  const { refusals } = consoleWords(language);
  const { field = '', subjects } = error.facts;
  const detail = error.code === 'invalid' ? `${field} ${error.message}`.trim() : subjects?.join(', ');
  return { text: sentences(refusals[error.code], detail ?? ''), isBad: true };
}

/** Faults are worded for customers and their programs: an operator has words of their own. */
export function operatorFaultText(language: Language, error: Fault): string {
  const texts: Readonly<Record<string, string>> = consoleWords(language).faults;
  return texts[error.code] ?? faultText(language, error);
}

export function refusalStatus({ code }: OperatingRefused): number {
  return REFUSAL_STATUSES[code];
}

/** The result; undefined if it is refused. */
export function unlessRefused<Result>(run: () => Result): Result | undefined {
  try {
    return run();
  } catch (error) {
    if (error instanceof OperatingRefused) return undefined;
    throw error;
  }
}
