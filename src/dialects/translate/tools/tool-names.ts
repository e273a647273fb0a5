// Tool names as an upstream takes them. Dialects differ in which characters a name may have and how long it may be; a name
// that does not fit is replaced in the request, and restored in the answer.

import { createHash } from 'node:crypto';
import type { Tool } from '../conversation.ts';

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
