// Arranges the turns of a conversation for the vendor. System turns stay only where they are allowed. A prefilled answer is
// sent as it is or, if the model refuses prefills, replaced by a request of the user to continue it.

import { arrangeTurns, beginWithUser, listName, mergeTurns } from '../../translate/arrange-turns.ts';
import { isAnswerBegun, prepareBegunAnswer } from '../../translate/begun-answer.ts';
import type { Conversation, Part, TextPart, Turn } from '../../translate/conversation.ts';

interface TurnTraits {
  takesMidSystem: boolean;
  takesPrefill: boolean;
  /** Thoughts without a signature are refused. */
  checksSignatures: boolean;
  /** Only reasoning of this origin is sent. */
  origin: string;
}

interface TurnPlan {
  system: TextPart[];
  turns: Turn[];
  /** The last turn is the assistant's, to be continued. */
  isPrefilled: boolean;
  isReworded: boolean;
}

export function planTurns(conversation: Conversation, traits: TurnTraits): TurnPlan {
  const { system, turns } = conversation;
  const usable = turns.map((turn) => (isPlain(turn) ? turn : { ...turn, parts: usableParts(turn.parts, traits) }));
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

/** All of its parts are sent. */
function isPlain({ parts }: Turn): boolean {
  return parts.every((part) => part.type !== 'reasoning' && !isBlank(part));
}

function usableParts(parts: readonly Part[], traits: TurnTraits): Part[] {
  const placed = traits.checksSignatures ? withoutMoved(parts) : parts;
  return placed.filter((part) => isUsable(part, traits));
}

/**
 * A signature is valid only if everything before its thought is sent, too. So after the first part that is left out, no thought
 * is sent. Thoughts at the end are left out as well, because the vendor refuses them.
 */
function withoutMoved(parts: readonly Part[]): Part[] {
  const end = parts.findLastIndex((part) => part.type !== 'reasoning' && !isBlank(part)) + 1;
  let isMoved = false;
  return parts.filter((part, index) => {
    isMoved ||= part.type === 'reasoning' ? part.isMoved === true : isBlank(part);
    return part.type !== 'reasoning' || (!isMoved && index < end);
  });
}

function isBlank(part: Part): boolean {
  return part.type === 'text' && part.text.trim() === '';
}

/** The vendor refuses blank text, thoughts of other models and incomplete thoughts. */
function isUsable(part: Part, { origin, checksSignatures }: TurnTraits): boolean {
  if (part.type !== 'reasoning') return !isBlank(part);
  const { opaque, redacted } = part;
  return opaque?.origin === origin && (redacted !== undefined || opaque.value !== '' || !checksSignatures);
}

/** A system turn is allowed after a user turn, if it is the last or an assistant turn follows; elsewhere it becomes a user turn. */
function placeSystem(turn: Turn, before: Turn | undefined, after: Turn | undefined): Turn {
  if (turn.role !== 'system') return turn;
  const mayStay = before?.role === 'user' && (after === undefined || after.role === 'assistant');
  const isText = turn.parts.every(({ type }) => type === 'text');
  return mayStay && isText ? turn : { ...turn, role: 'user' };
}
