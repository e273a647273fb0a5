// Joins the contents of each model turn. Libraries keep the chunks of a streamed answer as several contents, each with a
// part of a text or thought. The signature of a thought is in its last piece.

import type { Part, ReasoningPart, TextPart, Turn } from '../../translate/conversation.ts';

export function joinPieces(turns: readonly Turn[]): Turn[] {
  const joined: Turn[] = [];
  for (const turn of turns) {
    const before = joined.at(-1);
    if (turn.role !== 'assistant') joined.push(turn);
    else if (before?.role === 'assistant') for (const part of turn.parts) addPart(before.parts, part);
    else {
      const parts: Part[] = [];
      for (const part of turn.parts) addPart(parts, part);
      joined.push({ ...turn, parts });
    }
  }
  return joined;
}

function addPart(parts: Part[], part: Part): void {
  const last = parts.at(-1);
  if (part.type === 'text' && last?.type === 'text') parts[parts.length - 1] = joinText(last, part);
  else if (part.type === 'reasoning' && last?.type === 'reasoning' && isPieceOf(last, part)) {
    parts[parts.length - 1] = { ...last, ...part, text: last.text + part.text, at: last.at };
  } else parts.push(part);
}

function joinText(last: TextPart, { text }: TextPart): TextPart {
  return { ...last, text: last.text + text };
}

/** A part with a signature is complete. */
function isPieceOf(last: ReasoningPart, part: ReasoningPart): boolean {
  return last.opaque === undefined && last.redacted === undefined && part.redacted === undefined;
}
