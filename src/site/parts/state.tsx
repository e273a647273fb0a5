/** @jsxImportSource hono/jsx */
// How something is doing, as a mark that colour alone does not carry.

import type { State as PublicState } from '../../catalog/publishing/status-states.ts';
import { type Language, wordsOf } from '../language.ts';

export type StateName = PublicState;

export function State({ language, state }: { language: Language; state: StateName }) {
  return <span class={`state ${state}`}>{wordsOf(language).status[state]}</span>;
}
