// Tools that a model is told of in words. It can call them only by the names that the upstream's declarations have, so
// that is how they are told.

import type { Conversation, Part, TextPart, ToldTool } from '../conversation.ts';
import type { ToolNames } from './tool-names.ts';

export function tellTool(tool: ToldTool): string {
  return tool.isGone ? `The tool ${tool.name} cannot be called any more.` : `The tool ${tool.name} can be called now.`;
}

/** The conversation with every tool told under its name at the upstream. */
export function withToldNames(conversation: Conversation, { toUpstream }: ToolNames): Conversation {
  function textOf(part: TextPart): TextPart {
    const { tells } = part;
    return tells ? { ...part, text: tellTool({ ...tells, name: toUpstream(tells.name) }) } : part;
  }

  function partOf(part: Part): Part {
    if (part.type === 'text') return textOf(part);
    if (part.type !== 'tool_result') return part;
    return { ...part, content: part.content.map((inner) => (inner.type === 'text' ? textOf(inner) : inner)) };
  }

  const turns = conversation.turns.map((turn) => ({ ...turn, parts: turn.parts.map(partOf) }));
  return { ...conversation, system: conversation.system.map(textOf), turns };
}
