// Arranges turns in an order that every upstream accepts: each result right after its call, roles alternate, no empty turn.
// A conversation that cannot be arranged is refused with the place in the client's body.

import type { RawValue } from '../../kit/json/raw-json.ts';
import type { Quirks } from '../../vendors/quirks.ts';
import { refuseField } from '../fields.ts';
import type { Part, TextPart, ToolCallPart, ToolResultPart, Turn } from './conversation.ts';

const MISSING_RESULT = '[result missing]';

/** `fold`: the text of system turns joins the user turn beside them. Otherwise they stay where they are. */
export function arrangeTurns(turns: readonly Turn[], { midSystem }: { midSystem: Quirks['midSystem'] | 'keep' }) {
  const filled = turns.map((turn) => withParts(turn, hasContent)).filter(({ parts }) => parts.length > 0);
  const paired = pairResults(filled);
  const arranged = mergeTurns(midSystem === 'fold' ? foldSystem(paired) : paired);
  if (arranged.some(({ role }) => role !== 'system')) return arranged;
  // The client's name for its list of turns.
  const list = turns[0]?.at.replace(/\W.*$/, '') ?? 'messages';
  return refuseField(list, `${list} has no turn with content. Send at least one.`);
}

/** A turn that keeps all its parts is the same turn: most do, and a history may have thousands. */
export function withParts(turn: Turn, isKept: (part: Part) => boolean): Turn {
  return turn.parts.every(isKept) ? turn : { ...turn, parts: turn.parts.filter(isKept) };
}

function hasContent(part: Part): boolean {
  if (part.type === 'text') return part.text !== '';
  if (part.type === 'reasoning') return part.text !== '' || part.redacted !== undefined || part.opaque !== undefined;
  return true;
}

/** Moves every result right after the turn with its call. A missing result is replaced by a text that says so. */
function pairResults(turns: readonly Turn[]): Turn[] {
  const results = collectResults(turns);
  const last = turns.at(-1);
  const paired: Turn[] = [];
  for (const turn of turns) {
    const rest = withParts(turn, ({ type }) => type !== 'tool_result');
    if (rest.parts.length > 0) paired.push(rest);
    // Calls at the end have no results yet.
    if (turn.role !== 'assistant' || turn === last) continue;
    const calls = turn.parts.filter((part) => part.type === 'tool_call');
    const parts = calls.map((call) => results.get(call.id) ?? missingResult(call));
    if (parts.length > 0) paired.push({ role: 'user', parts, at: turn.at });
  }
  return paired;
}

function collectResults(turns: readonly Turn[]): Map<string, ToolResultPart> {
  const called = new Set<string>();
  const results = new Map<string, ToolResultPart>();
  for (const { parts } of turns) {
    for (const part of parts) {
      if (part.type === 'tool_call') called.add(part.id);
      if (part.type !== 'tool_result') continue;
      if (!called.has(part.callId))
        refuseField(
          part.at,
          `${part.at} is the result of a call that is not before it. Add the call, or remove the result.`,
        );
      if (results.has(part.callId))
        refuseField(part.at, `The call of ${part.at} already has a result. Remove this one.`);
      results.set(part.callId, part);
    }
  }
  return results;
}

function missingResult({ id, at }: ToolCallPart): ToolResultPart {
  return { type: 'tool_result', callId: id, content: [{ type: 'text', text: MISSING_RESULT, at }], isError: true, at };
}

/** System messages before the first turn are the system prompt; later ones keep their place. */
export function splitSystem(turns: readonly Turn[]): { system: TextPart[]; turns: Turn[] } {
  const first = turns.findIndex(({ role }) => role !== 'system');
  // If a request has only system messages, the last one becomes the user's message.
  const begin = first < 0 ? turns.length - 1 : first;
  const rest = turns.slice(begin).map((turn): Turn => (first < 0 ? { ...turn, role: 'user' } : turn));
  const system = turns.slice(0, begin).flatMap(({ parts }) => parts.filter((part) => part.type === 'text'));
  return { system, turns: rest };
}

/** A system turn becomes text of the user turn before it, else of the one after it, in its place. */
function foldSystem(turns: readonly Turn[]): Turn[] {
  return turns.map((turn) => (turn.role === 'system' ? { ...turn, role: 'user' } : turn));
}

/** No two turns of one role in a row. */
export function mergeTurns(turns: readonly Turn[]): Turn[] {
  const merged: Turn[] = [];
  /** The last turn, if it is already a copy that may be changed. */
  let growing: Turn | undefined;
  for (const turn of turns) {
    const before = merged.at(-1);
    if (before?.role !== turn.role) {
      merged.push(turn);
      continue;
    }
    if (before !== growing) {
      growing = { ...before, parts: [...before.parts] };
      merged[merged.length - 1] = growing;
    }
    for (const part of turn.parts) growing.parts.push(part);
  }
  return merged;
}

/** For upstreams whose first turn must be the user's: clients may trim histories, or begin with a greeting. */
export function beginWithUser(turns: readonly Turn[]): Turn[] {
  const [first] = turns;
  if (first?.role !== 'assistant') return [...turns];
  const opening: TextPart = { type: 'text', text: '(start of the conversation)', at: first.at };
  return [{ role: 'user', parts: [opening], at: first.at }, ...turns];
}

export function isAnswerBegun(turn: Turn | undefined): boolean {
  return turn?.role === 'assistant' && !turn.parts.some(({ type }) => type === 'tool_call');
}

/**
 * A conversation that ends with text of the assistant, which the model should continue (prefill). Upstreams refuse white space
 * at its end. For models without prefill, a request of the user to continue is added.
 */
export function prepareBegunAnswer(turns: readonly Turn[], takesPrefill: boolean) {
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
