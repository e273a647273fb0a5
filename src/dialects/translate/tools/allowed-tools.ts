// The tools that the client's choice leaves: an upstream gets no other.

import type { Conversation, Tool } from '../conversation.ts';

export function allowedTools({ tools, toolChoice }: Pick<Conversation, 'tools' | 'toolChoice'>): readonly Tool[] {
  if (!toolChoice || toolChoice.mode === 'tool' || !toolChoice.allowed) return tools;
  const allowed = new Set(toolChoice.allowed);
  return tools.filter(({ name }) => allowed.has(name));
}
