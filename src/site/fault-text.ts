// The text of a fault on a page, in the reader's language, for every fault that a visitor can meet.

import { type Fault, wholeWaitS } from '../faults/fault.ts';
import { type Language, wordsOf } from './language.ts';

const LONGEST_WAIT_S = wholeWaitS(Number.POSITIVE_INFINITY);

export function faultText(language: Language, { code, details, publicText, waitS = LONGEST_WAIT_S }: Fault): string {
  const { faults, fields } = wordsOf(language);
  const texts: Readonly<Record<string, string>> = faults;
  const ofField = code === 'invalid_request' ? fieldText(fields, details.param) : undefined;
  return (ofField ?? texts[details.reason ?? code] ?? publicText).replace('{seconds}', String(waitS));
}

/** `models[2]` is a matter of the field `models`. */
function fieldText(fields: Readonly<Record<string, string>>, param: string | undefined): string | undefined {
  const name = param?.replace(/\[.*$/, '') ?? '';
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}
