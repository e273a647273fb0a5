// A conversation that ends with text of the assistant, which the model should continue (prefill). Upstreams refuse white
// space at its end. For models without prefill, a request of the user to continue is added.

import type { RawValue } from '../../kit/json/raw-json.ts';
import { mergeTurns } from './arrange-turns.ts';
import type { TextPart, Turn } from './conversation.ts';

export function isAnswerBegun(turn: Turn | undefined): boolean {
  return turn?.role === 'assistant' && !turn.parts.some(({ type }) => type === 'tool_call');
}

interface BegunAnswer {
  turns: Turn[];
  isReworded: boolean;
}

export function prepareBegunAnswer(turns: readonly Turn[], takesPrefill: boolean): BegunAnswer {
  const last = turns.at(-1);
  if (!last || !isAnswerBegun(last)) return { turns: [...turns], isReworded: false };
  const before = turns.slice(0, -1);
  return takesPrefill
    ? { turns: [...before, trimEnd(last)], isReworded: false }
    : { turns: mergeTurns([...before, reword(last)]), isReworded: true };
}

const CONTINUE =
  'Continue the answer that begins with the text below. Do not repeat any of it: write only what comes after it.';

function reword(turn: Turn): Turn {
  const begun = turn.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
  const others = turn.parts.filter(({ type }) => type !== 'text' && type !== 'reasoning');
  const request: TextPart = { type: 'text', text: `${CONTINUE}\n\n${begun}`, at: turn.at };
  return { ...turn, role: 'user', parts: [...others, request] };
}

function trimEnd(turn: Turn): Turn {
  const last = turn.parts.at(-1);
  if (last?.type !== 'text') return turn;
  return { ...turn, parts: [...turn.parts.slice(0, -1), { ...last, text: last.text.trimEnd() }] };
}

/** Appends the answer so far to the client's own prefill; upstreams refuse white space at its end. */
export function appendPrefill(messages: readonly RawValue[], last: Turn | undefined, text: string): RawValue[] {
  const begun = isAnswerBegun(last) ? last?.parts.map((part) => (part.type === 'text' ? part.text : '')).join('') : '';
  const content = `${begun ?? ''}${text}`.trimEnd();
  return [...(begun ? messages.slice(0, -1) : messages), { role: 'assistant', content }];
}
