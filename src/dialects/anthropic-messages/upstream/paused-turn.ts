// Claude may pause a long turn. It goes on when the same request comes again with all blocks so far as the last message, which
// is the assistant's.

import {
  ANSWER_LIMITS,
  isObject,
  type Json,
  type JsonDocument,
  type JsonObject,
  JsonRefused,
  readJsonObject,
} from '../../../kit/json/json.ts';
import { openRaw, RawJson, writeJson } from '../../../kit/json/raw-json.ts';
import { isZero } from '../../counts.ts';
import type { PausedTurn, UsageReport } from '../../dialect.ts';
import { isFinish } from '../../stream/is-finish.ts';
import { addTurn, readUsage, writeUsage } from '../usage.ts';

export const PAUSED = 'pause_turn';

/** The vendor's own marks around a message are a few tokens. */
const MARKS_TOKENS = 16;

interface TurnBlock {
  type: Json | undefined;
  /** Its JSON text. */
  text: string;
}

/** Undefined if it cannot be continued: a call waits for its result, and without a report its price is unknown. */
export function toPausedTurn(blocks: readonly TurnBlock[], usage: UsageReport): PausedTurn | undefined {
  if (typeof usage !== 'object' || usage.lacksOutput || isZero(usage.buckets)) return undefined;
  if (blocks.length === 0 || blocks.some(({ type }) => type === 'tool_use')) return undefined;
  // Results are no output, and each of their tokens is a byte at least.
  const results = blocks.filter(({ type }) => String(type).endsWith('_tool_result'));
  const resultBytes = results.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
  return {
    content: blocks.map(({ text }) => new RawJson(text)),
    usage,
    contentTokens: usage.buckets.output + resultBytes + MARKS_TOKENS,
  };
}

export function readPaused(text: string): PausedTurn | undefined {
  // Most answers need not be read twice.
  const document = text.includes(PAUSED) ? parse(text) : undefined;
  if (document?.value.stop_reason !== PAUSED) return undefined;
  return toPausedTurn(blocksOf(document), readUsage(document.value.usage));
}

export function joinTurns(texts: readonly string[]): string | undefined {
  const turns: JsonDocument[] = [];
  for (const text of texts) {
    const turn = parse(text);
    if (!turn || !isMessage(turn.value)) return undefined;
    turns.push(turn);
  }
  const content = turns.flatMap(blocksOf).map(({ text }) => new RawJson(text));
  const { usage: _, ...last } = turns.at(-1)?.value ?? {};
  return writeJson({ ...last, content, ...addUsage(turns) });
}

function addUsage(turns: readonly JsonDocument[]) {
  const [first, ...others] = turns.map(({ value }) => readUsage(value.usage));
  const total = others.reduce((sum, next) => (typeof sum === 'object' ? addTurn(sum, next) : sum), first ?? 'absent');
  if (typeof total !== 'object') return {};
  const usage = writeUsage(total);
  return { usage: total.lacksOutput ? { ...usage, output_tokens: null } : usage };
}

function isMessage({ type, content, stop_reason: reason }: JsonObject): boolean {
  return type === 'message' && Array.isArray(content) && content.every(isObject) && isFinish(reason);
}

function blocksOf({ value, text }: JsonDocument): TurnBlock[] {
  const places = openRaw(text).at('content');
  const content = Array.isArray(value.content) ? value.content : [];
  return content.map((block, index) => ({
    type: isObject(block) ? block.type : undefined,
    text: places?.at(index)?.text ?? JSON.stringify(block),
  }));
}

function parse(text: string): JsonDocument | undefined {
  try {
    return readJsonObject(text, ANSWER_LIMITS);
  } catch (error) {
    if (error instanceof JsonRefused) return undefined;
    throw error;
  }
}
