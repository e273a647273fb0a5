// Claude may pause a long turn. It goes on when the same request comes again with all blocks so far as the last message, which
// is the assistant's.

import { RawJson, writeJson } from '../../../kit/json/raw-json.ts';
import { isZero } from '../../counts.ts';
import type { PausedTurn, UsageReport } from '../../dialect.ts';
import type { MessageBlock } from '../join-message.ts';

export const PAUSED = 'pause_turn';

/** The vendor's own marks around a message are a few tokens. */
const MARKS_TOKENS = 16;

/** Undefined if it cannot be continued: a call waits for its result, and without a report its price is unknown. */
export function toPausedTurn(blocks: readonly MessageBlock[], usage: UsageReport): PausedTurn | undefined {
  if (typeof usage !== 'object' || usage.lacksOutput || isZero(usage.buckets)) return undefined;
  if (blocks.length === 0 || blocks.some(({ type }) => type === 'tool_use')) return undefined;
  const written = blocks.map((block) => ({ text: writeJson(block), isResult: isResult(block) }));
  // Results are no output, and each of their tokens is a byte at least.
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
