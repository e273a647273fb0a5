// Tools as an upstream gets them: those that the client's choice leaves, each under a name that the upstream takes. Dialects
// differ in which characters a name may have and how long it may be; a name that does not fit is replaced in the request, also
// where a tool is announced as text, and restored in the answer.

import { createHash } from 'node:crypto';
import type { AnnouncedTool, Conversation, Part, Tool } from '../conversation.ts';

export interface ToolNames {
  toUpstream(name: string): string;
  /** The tool that an upstream calls by this name; undefined if it made the name up. */
  find(upstreamName: string): Tool | undefined;
}

const HASH_CHARS = 8;
/** Length of a name that does not fit: more than any upstream takes. */
const MAX_READ_CHARS = 1_000;

export function createToolNames(tools: readonly Tool[], fits: RegExp, mostChars: number): ToolNames {
  const toUpstream = (name: string) =>
    name.length <= mostChars && fits.test(name) ? name : fittingName(name, mostChars);
  const byUpstreamName = new Map(tools.map((tool) => [toUpstream(tool.name), tool]));
  return { toUpstream, find: (upstreamName) => byUpstreamName.get(upstreamName) };
}

/** Readable, and different for different names. */
function fittingName(name: string, mostChars: number): string {
  const hash = createHash('sha256').update(name).digest('hex').slice(0, HASH_CHARS);
  const words = name
    .slice(0, MAX_READ_CHARS)
    .replace(/[^a-zA-Z0-9_-]+/g, '_')
    .replace(/^[^a-zA-Z_]+/, '');
  return `${words.slice(0, mostChars - HASH_CHARS - 1) || 'tool'}_${hash}`;
}

export function allowedTools({ tools, toolChoice }: Pick<Conversation, 'tools' | 'toolChoice'>): readonly Tool[] {
  if (!toolChoice || toolChoice.mode === 'tool' || !toolChoice.allowed) return tools;
  const allowed = new Set(toolChoice.allowed);
  return tools.filter(({ name }) => allowed.has(name));
}

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
  if (part.type === 'tool_result') return part.content.some(isAnnounced);
  return part.type === 'text' && part.announces !== undefined;
}
