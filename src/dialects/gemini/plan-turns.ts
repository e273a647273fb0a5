// The turns of a conversation as Gemini takes them: user and model in turn, the user first, and of thoughts only what its
// own model signed.

import { arrangeTurns, mergeTurns } from '../translate/arrange-turns.ts';
import { prepareBegunAnswer } from '../translate/begun-answer.ts';
import type { Conversation, TextPart, Turn } from '../translate/conversation.ts';
import type { Target } from '../translate/sides.ts';

export interface TurnPlan {
  turns: Turn[];
  isReworded: boolean;
}

export function planTurns({ turns }: Conversation, { prefill, origin }: Target): TurnPlan {
  const param = turns[0]?.at.replace(/\W.*$/, '') ?? 'messages';
  const usable = turns.map((turn) => withOwnThoughts(turn, origin));
  const begun = prepareBegunAnswer(arrangeTurns(usable, { midSystem: 'fold' }, param), prefill);
  return { ...begun, turns: beginWithUser(mergeTurns(begun.turns)) };
}

/** A signature of thoughts goes back with what comes after them: where nothing does, they are nothing. */
function withOwnThoughts(turn: Turn, origin: string): Turn {
  const last = turn.parts.findLastIndex(({ type }) => type !== 'reasoning');
  const parts = turn.parts
    .slice(0, last + 1)
    .filter((part) => part.type !== 'reasoning' || part.opaque?.origin === origin);
  return { ...turn, parts };
}

function beginWithUser(turns: Turn[]): Turn[] {
  const [first] = turns;
  if (first?.role !== 'assistant') return turns;
  const opening: TextPart = { type: 'text', text: '(start of the conversation)', at: first.at };
  return [{ role: 'user', parts: [opening], at: first.at }, ...turns];
}
