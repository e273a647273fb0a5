// Turns in the order that every upstream takes: each tool's result right after its call, no two turns of one role in a
// row, nothing empty. What cannot be arranged is refused by its place in the client's body.

import { refuseField } from '../fields.ts';
import type { Part, TextPart, ToolCallPart, ToolResultPart, Turn } from './conversation.ts';

export interface Arrangement {
  /** `keep`: system turns stay where they are. `fold`: their text joins the user turn beside them. */
  midSystem: 'keep' | 'fold';
}

const MISSING_RESULT = '[result missing]';

/** `param` names the client's list, for a request that has nothing left to say. */
export function arrangeTurns(turns: readonly Turn[], { midSystem }: Arrangement, param: string): Turn[] {
  const filled = turns.map((turn) => ({ ...turn, parts: turn.parts.filter(hasContent) }));
  const paired = pairResults(filled.filter(({ parts }) => parts.length > 0));
  const arranged = mergeTurns(midSystem === 'fold' ? foldSystem(paired) : paired);
  if (!arranged.some(({ role }) => role !== 'system'))
    refuseField(param, `Give ${param} at least one turn with content.`);
  return arranged;
}

function hasContent(part: Part): boolean {
  if (part.type === 'text') return part.text !== '';
  if (part.type === 'reasoning') return part.text !== '' || part.redacted !== undefined || part.opaque !== undefined;
  return true;
}

/** Moves every result to right after the turn that called for it, and says so where one is missing. */
function pairResults(turns: readonly Turn[]): Turn[] {
  const results = collectResults(turns);
  const last = turns.at(-1);
  return turns.flatMap((turn) => {
    const rest = { ...turn, parts: turn.parts.filter(({ type }) => type !== 'tool_result') };
    const calls = turn.role === 'assistant' ? turn.parts.filter((part) => part.type === 'tool_call') : [];
    const kept: Turn[] = rest.parts.length > 0 ? [rest] : [];
    // Calls that stand last have no results yet.
    if (calls.length === 0 || turn === last) return kept;
    return [
      ...kept,
      { role: 'user', parts: calls.map((call) => results.get(call.id) ?? missingResult(call)), at: turn.at },
    ];
  });
}

function collectResults(turns: readonly Turn[]): Map<string, ToolResultPart> {
  const called = new Set<string>();
  const results = new Map<string, ToolResultPart>();
  for (const { parts } of turns) {
    for (const part of parts) {
      if (part.type === 'tool_call') called.add(part.id);
      if (part.type !== 'tool_result') continue;
      if (!called.has(part.callId)) refuseField(part.at, `Remove ${part.at}, or put the call it answers before it.`);
      if (results.has(part.callId)) refuseField(part.at, `Remove ${part.at}: its call has a result already.`);
      results.set(part.callId, part);
    }
  }
  return results;
}

function missingResult({ id, at }: ToolCallPart): ToolResultPart {
  return { type: 'tool_result', callId: id, content: [{ type: 'text', text: MISSING_RESULT, at }], isError: true, at };
}

/** A system turn becomes text of the user turn before it, else of the one after it, in its place. */
function foldSystem(turns: readonly Turn[]): Turn[] {
  return turns.map((turn) => (turn.role === 'system' ? { ...turn, role: 'user' } : turn));
}

/** No two turns of one role in a row. */
export function mergeTurns(turns: readonly Turn[]): Turn[] {
  const merged: Turn[] = [];
  for (const turn of turns) {
    const before = merged.at(-1);
    if (before?.role === turn.role) for (const part of turn.parts) before.parts.push(part);
    else merged.push({ ...turn, parts: [...turn.parts] });
  }
  return merged;
}

/** What the client calls its list of turns. */
export function listName([first]: readonly Turn[]): string {
  return first?.at.replace(/\W.*$/, '') ?? 'messages';
}

/** For upstreams that want the first word to be the user's; clients trim histories, or greet. */
export function beginWithUser(turns: readonly Turn[]): Turn[] {
  const [first] = turns;
  if (first?.role !== 'assistant') return [...turns];
  const opening: TextPart = { type: 'text', text: '(start of the conversation)', at: first.at };
  return [{ role: 'user', parts: [opening], at: first.at }, ...turns];
}
