// Refusals of operator actions and faults of the gateway, as text in the reader's language; and forms that are shown again
// with what is wrong.

import type { Fault } from '../../faults/fault.ts';
import { faultText } from '../../site/fault-text.ts';
import { money, sentences } from '../../site/format.ts';
import type { Notice } from '../../site/frame.tsx';
import type { Language } from '../../site/language.ts';
import { plainNumber, typed } from '../../site/read-form.ts';
import { MAX_AMOUNT, readAmount } from '../actions/read-input.ts';
import { OperatingRefused, REFUSAL_STATUSES } from '../actions/refused.ts';
import type { ConsoleContext } from './frame.tsx';
import type { ConsoleVisit } from './visits.tsx';
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

/** Texts by the names of the fields that are wrong. */
export type Faults = Readonly<Record<string, string>>;

/** What a page shows of its form that was sent. */
export interface Shown {
  notice?: Notice | undefined;
  faults?: Faults | undefined;
  status?: number;
}

export interface FormProps extends Omit<Shown, 'status'> {
  context: ConsoleContext;
  /** The refused input; empty without one. */
  form: URLSearchParams;
}

/** The refused input of each field, or else its value; and what is wrong with it. */
export function fieldsIn({ form, faults = {} }: Pick<FormProps, 'form' | 'faults'>) {
  return (name: string, value?: string | null) => ({
    name,
    value: form.get(name) ?? value ?? '',
    fault: faults[name],
  });
}

/** The page of the form is shown again. */
export class SentInVain extends Error {
  override name = 'SentInVain';
  constructor(readonly shown: Shown) {
    super('a form is refused');
  }
}

/** For a form whose page is shown again. */
export function refuseFaults(faults: Faults): void {
  if (Object.keys(faults).length > 0) throw new SentInVain({ faults, status: 422 });
}

export function sentTwice({ page }: ConsoleVisit): Shown {
  return { notice: { text: page.words.frame.twice, isBad: true }, status: 409 };
}

/** The ticket of a form that acts once, and whose page is shown again when it is sent a second time. */
export function takeTicket(visit: ConsoleVisit): string {
  const ticket = visit.form.get('once') ?? '';
  if (visit.once.take(ticket)) return ticket;
  throw new SentInVain(sentTwice(visit));
}

interface MoneyWords {
  wrongReason: string;
  wrongAmount(most: string): string;
}

/** `more`: what else of the form is wrong. */
export function readMoney({ form }: Pick<ConsoleVisit, 'form'>, words: MoneyWords, more: Faults = {}) {
  const reason = typed(form, 'reason');
  const amount = unlessRefused(() => readAmount(plainNumber(typed(form, 'amount'))));
  refuseFaults({
    ...(reason === '' ? { reason: words.wrongReason } : {}),
    ...(amount === undefined ? { amount: words.wrongAmount(money(MAX_AMOUNT)) } : {}),
    ...more,
  });
  return { amount: amount ?? 0n, reason };
}
