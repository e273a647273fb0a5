// Claude may pause a long turn. It continues when the same request is sent again with the blocks so far as a last assistant
// message.

import { RawJson, writeJson } from '../../../kit/json/raw-json.ts';
import { isZero } from '../../counts.ts';
import type { PausedTurn, UsageReport } from '../../dialect.ts';
import type { MessageBlock } from '../join-message.ts';

export const PAUSED = 'pause_turn';

/** Tokens that the vendor adds around a message. */
const MARKS_TOKENS = 16;

/** Undefined if it cannot be continued: a call waits for its result, and without a report its price is unknown. */
export function toPausedTurn(blocks: readonly MessageBlock[], usage: UsageReport): PausedTurn | undefined {
  if (typeof usage !== 'object' || usage.lacksOutput || isZero(usage.buckets)) return undefined;
  if (blocks.length === 0 || blocks.some(({ type }) => type === 'tool_use')) return undefined;
  const written = blocks.map((block) => ({ text: writeJson(block), isResult: isResult(block) }));
  // Results are not output; each of their tokens has at least one byte.
  const resultBytes = written.reduce((sum, { text, isResult }) => sum + (isResult ? Buffer.byteLength(text) : 0), 0);
  return {
    content: written.map(({ text }) => new RawJson(text)),
    usage,
    contentTokens: usage.buckets.output + resultBytes + MARKS_TOKENS,
  };
}

function isResult({ type }: MessageBlock): boolean {
  return String(type).endsWith('_tool_result');
}
