// System messages before the first turn are the system prompt; later ones keep their place.

import type { Part, TextPart, Turn } from './conversation.ts';

export function splitSystem(turns: readonly Turn[]): { system: TextPart[]; turns: Turn[] } {
  const first = turns.findIndex(({ role }) => role !== 'system');
  // If a request has only system messages, the last one becomes the user's message.
  const begin = first < 0 ? turns.length - 1 : first;
  const rest = turns.slice(begin).map((turn): Turn => (first < 0 ? { ...turn, role: 'user' } : turn));
  return { system: turns.slice(0, begin).flatMap(({ parts }) => parts.filter(isText)), turns: rest };
}

function isText(part: Part): part is TextPart {
  return part.type === 'text';
}
