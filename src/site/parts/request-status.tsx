/** @jsxImportSource hono/jsx */
// How a request ended, in the reader's words; what has none is told by its code.

import { type Language, wordsOf } from '../language.ts';

export function RequestStatus({ language, status }: { language: Language; status: string }) {
  return <span class={status === 'ok' ? 'good nowrap' : 'bad'}>{statusName(language, status)}</span>;
}

export function statusName(language: Language, status: string): string {
  const names: Readonly<Record<string, string>> = wordsOf(language).account.statuses;
  return Object.hasOwn(names, status) ? (names[status] ?? status) : status;
}
