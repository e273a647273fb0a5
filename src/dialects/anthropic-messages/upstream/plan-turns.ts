// The turns of a conversation as the vendor takes them: system turns only where they may stand, and an answer begun by the
// client either passed on or, where the model would refuse it, put as a request of the user's.

import { arrangeTurns, beginWithUser, listName, mergeTurns } from '../../translate/arrange-turns.ts';
import { isAnswerBegun, prepareBegunAnswer } from '../../translate/begun-answer.ts';
import type { Conversation, Part, TextPart, Turn } from '../../translate/conversation.ts';

export interface TurnTraits {
  takesMidSystem: boolean;
  takesPrefill: boolean;
  /** Thoughts without a signature are refused. */
  checksSignatures: boolean;
  /** Reasoning of this origin goes back. */
  origin: string;
}

export interface TurnPlan {
  system: TextPart[];
  turns: Turn[];
  /** An assistant turn stands last, to be continued. */
  isPrefilled: boolean;
  isReworded: boolean;
}

export function planTurns(conversation: Conversation, traits: TurnTraits): TurnPlan {
  const { system, turns } = conversation;
  const usable = turns.map((turn) => ({ ...turn, parts: turn.parts.filter((part) => isUsable(part, traits)) }));
  const midSystem = traits.takesMidSystem ? 'keep' : 'fold';
  const arranged = arrangeTurns(usable, { midSystem }, listName(turns));
  const isBegun = isAnswerBegun(arranged.at(-1));
  const { turns: ended, isReworded } = prepareBegunAnswer(arranged, traits.takesPrefill);
  const placed = ended.map((turn, index) => placeSystem(turn, ended[index - 1], ended[index + 1]));
  return {
    system: system.filter(({ text }) => text.trim() !== ''),
    turns: beginWithUser(mergeTurns(placed)),
    isPrefilled: isBegun && !isReworded,
    isReworded,
  };
}

/** Text of white space alone is refused, and so are thoughts of other models and those that were cut off. */
function isUsable(part: Part, { origin, checksSignatures }: TurnTraits): boolean {
  if (part.type === 'text') return part.text.trim() !== '';
  if (part.type !== 'reasoning') return true;
  const { opaque, redacted } = part;
  return opaque?.origin === origin && (redacted !== undefined || opaque.value !== '' || !checksSignatures);
}

/** A system turn may stand after a user's turn, last or before an assistant's; elsewhere its text is the user's. */
function placeSystem(turn: Turn, before: Turn | undefined, after: Turn | undefined): Turn {
  if (turn.role !== 'system') return turn;
  const mayStay = before?.role === 'user' && (after === undefined || after.role === 'assistant');
  const isText = turn.parts.every(({ type }) => type === 'text');
  return mayStay && isText ? turn : { ...turn, role: 'user' };
}
