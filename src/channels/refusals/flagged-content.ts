// Moderation that speaks with the status of a refused key: OpenRouter lists the reasons for which it flagged a prompt, xAI
// says it in one sentence of its own. What an upstream behind OpenRouter said stands in `raw`.

import { isObject, type JsonObject, tryParseJson } from '../../kit/json/json.ts';
import { findError } from './find-error.ts';

const FLAGGED_WORDS = /^Content violates usage guidelines\b/i;

export function isFlagged({ message, metadata }: JsonObject): boolean {
  if (typeof message === 'string' && FLAGGED_WORDS.test(message)) return true;
  if (!isObject(metadata)) return false;
  const { reasons, flagged_input: input, raw } = metadata;
  if (Array.isArray(reasons) || typeof input === 'string') return true;
  const within = typeof raw === 'string' ? findError(tryParseJson(raw)) : undefined;
  return within !== undefined && isFlagged({ message: within.message ?? null });
}
