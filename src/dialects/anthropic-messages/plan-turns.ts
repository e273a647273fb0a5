// The turns of a conversation as the vendor takes them: system turns only where they may stand, and an answer begun by the
// client either passed on or, where the model would refuse it, put as a request of the user's.

import { arrangeTurns, mergeTurns } from '../translate/arrange-turns.ts';
import type { Conversation, Part, TextPart, Turn } from '../translate/conversation.ts';

export interface TurnTraits {
  takesMidSystem: boolean;
  takesPrefill: boolean;
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
  const { system, turns } = withTurns(conversation);
  const usable = turns.map((turn) => ({ ...turn, parts: turn.parts.filter((part) => isUsable(part, traits)) }));
  const midSystem = traits.takesMidSystem ? 'keep' : 'fold';
  const arranged = arrangeTurns(usable, { midSystem }, listName(turns));
  const isBegun = isAnswerBegun(arranged.at(-1));
  const isReworded = isBegun && !traits.takesPrefill;
  const ended = isBegun ? endWith(arranged, isReworded ? reword : trimEnd) : arranged;
  return {
    system: system.filter(({ text }) => text.trim() !== ''),
    turns: mergeTurns(ended.map((turn, index) => placeSystem(turn, ended[index - 1], ended[index + 1]))),
    isPrefilled: isBegun && !isReworded,
    isReworded,
  };
}

/** The vendor wants at least one turn: where a client has only instructions, the last of them is what it asks for. */
function withTurns({ system, turns }: Conversation): { system: TextPart[]; turns: Turn[] } {
  if (turns.some(({ role }) => role !== 'system')) return { system, turns };
  const texts = [...system, ...turns.flatMap(({ parts }) => parts).filter((part) => part.type === 'text')];
  const others = turns.flatMap(({ parts }) => parts).filter((part) => part.type !== 'text');
  const last = texts.findLast(({ text }) => text.trim() !== '');
  if (!last) return { system, turns };
  return {
    system: texts.filter((text) => text !== last),
    turns: [{ role: 'user', parts: [last, ...others], at: last.at }],
  };
}

/** Text of white space alone is refused, and so are thoughts of other models. */
function isUsable(part: Part, { origin }: TurnTraits): boolean {
  if (part.type === 'text') return part.text.trim() !== '';
  return part.type !== 'reasoning' || part.opaque?.origin === origin;
}

function listName([first]: readonly Turn[]): string {
  return first?.at.replace(/\W.*$/, '') ?? 'messages';
}

function isAnswerBegun(turn: Turn | undefined): boolean {
  return turn?.role === 'assistant' && !turn.parts.some(({ type }) => type === 'tool_call');
}

const CONTINUE =
  'Continue the answer that begins with the text below. Do not repeat any of it: write only what comes after it.';

function endWith(turns: readonly Turn[], change: (last: Turn) => Turn): Turn[] {
  return turns.map((turn, index) => (index < turns.length - 1 ? turn : change(turn)));
}

function reword(turn: Turn): Turn {
  const begun = turn.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
  const others = turn.parts.filter(({ type }) => type !== 'text' && type !== 'reasoning');
  const request: TextPart = { type: 'text', text: `${CONTINUE}\n\n${begun}`, at: turn.at };
  return { ...turn, role: 'user', parts: [...others, request] };
}

/** The vendor refuses white space at the end of an answer that it shall continue. */
function trimEnd(turn: Turn): Turn {
  const last = turn.parts.at(-1);
  if (last?.type !== 'text') return turn;
  return { ...turn, parts: [...turn.parts.slice(0, -1), { ...last, text: last.text.trimEnd() }] };
}

/** A system turn may stand after a user's turn, last or before an assistant's; elsewhere its text is the user's. */
function placeSystem(turn: Turn, before: Turn | undefined, after: Turn | undefined): Turn {
  if (turn.role !== 'system') return turn;
  const mayStay = before?.role === 'user' && (after === undefined || after.role === 'assistant');
  const isText = turn.parts.every(({ type }) => type === 'text');
  return mayStay && isText ? turn : { ...turn, role: 'user' };
}
