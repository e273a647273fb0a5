// Tools that are announced as text, under their names at the upstream.

import type { AnnouncedTool, Conversation, Part } from '../conversation.ts';
import type { ToolNames } from './tool-names.ts';

export function announceTool(tool: AnnouncedTool): string {
  return tool.isGone ? `The tool ${tool.name} cannot be called any more.` : `The tool ${tool.name} can be called now.`;
}

/** The conversation with every tool announced under its name at the upstream; most announce none, and stay as they are. */
export function withUpstreamNames(conversation: Conversation, { toUpstream }: ToolNames): Conversation {
  const { system, turns } = conversation;
  if (!system.some(isAnnounced) && !turns.some(({ parts }) => parts.some(isAnnounced))) return conversation;

  function renamed<Any extends Part>(part: Any): Any {
    if (part.type === 'tool_result') return { ...part, content: part.content.map(renamed) };
    const announces = part.type === 'text' ? part.announces : undefined;
    return announces ? { ...part, text: announceTool({ ...announces, name: toUpstream(announces.name) }) } : part;
  }

  return {
    ...conversation,
    system: system.map(renamed),
    turns: turns.map((turn) => ({ ...turn, parts: turn.parts.map(renamed) })),
  };
}

function isAnnounced(part: Part): boolean {
  return part.type === 'tool_result'
    ? part.content.some(isAnnounced)
    : part.type === 'text' && part.announces !== undefined;
}
