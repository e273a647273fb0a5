/** @jsxImportSource hono/jsx */
// How something is doing, as a mark that colour alone does not carry.

import { type Language, wordsOf } from '../language.ts';

export type StateName = 'operational' | 'degraded' | 'down' | 'unknown';

export function State({ language, state }: { language: Language; state: StateName }) {
  return <span class={`state ${state}`}>{wordsOf(language).status[state]}</span>;
}
