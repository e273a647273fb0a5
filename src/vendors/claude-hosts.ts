// Platforms that host Claude in the Anthropic format with the model in the URL.

import type { ChannelKind } from './endpoints.ts';

/** Their values of `anthropic_version`. */
export const HOSTED_VERSIONS = { bedrock: 'bedrock-2023-05-31', vertex: 'vertex-2023-10-16' } as const;
export type ClaudeHost = keyof typeof HOSTED_VERSIONS;

/** Their betas, as of November 2026, in lower case. They refuse a request that names any other. */
export const HOSTED_BETAS: ReadonlySet<string> = new Set([
  'computer-use-2024-10-22',
  'computer-use-2025-01-24',
  'computer-use-2025-11-24',
  'context-1m-2025-08-07',
  'context-management-2025-06-27',
  'dev-full-thinking-2025-05-14',
  'fine-grained-tool-streaming-2025-05-14',
  'interleaved-thinking-2025-05-14',
  'output-128k-2025-02-19',
  'token-efficient-tools-2025-02-19',
  'tool-examples-2025-10-29',
  'tool-search-tool-2025-10-19',
]);

export function claudeHostOf(kind: ChannelKind): ClaudeHost | undefined {
  return kind === 'bedrock' || kind === 'vertex' ? kind : undefined;
}

/** Channels that can be asked for betas of the Anthropic format. */
export function takesBetas(kind: ChannelKind): boolean {
  return kind === 'anthropic' || claudeHostOf(kind) !== undefined;
}
