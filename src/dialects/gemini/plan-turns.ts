// The turns of a conversation as Gemini takes them: user and model in turn, the user first, and of thoughts only what its
// own model signed.

import { arrangeTurns, beginWithUser, listName, mergeTurns } from '../translate/arrange-turns.ts';
import { prepareBegunAnswer } from '../translate/begun-answer.ts';
import type { Conversation, Turn } from '../translate/conversation.ts';
import type { Target } from '../translate/sides.ts';

export interface TurnPlan {
  turns: Turn[];
  isReworded: boolean;
}

export function planTurns({ turns }: Conversation, { prefill, origin }: Target): TurnPlan {
  const usable = turns.map((turn) => withOwnThoughts(turn, origin));
  const begun = prepareBegunAnswer(arrangeTurns(usable, { midSystem: 'fold' }, listName(turns)), prefill);
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
