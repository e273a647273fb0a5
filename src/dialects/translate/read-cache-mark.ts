// Where clients of the OpenAI formats want the prompt to be cached, and whether they want it wherever it pays.

import { isObject, type JsonObject } from '../../kit/json/json.ts';
import type { CacheMark } from './conversation.ts';

/** Anthropic's mark, which libraries put on parts of these formats too, or OpenAI's; the latter lasts 30 minutes or 12 hours. */
export function readCacheMark({ cache_control: control, prompt_cache_breakpoint: breakpoint }: JsonObject): {
  cache?: CacheMark;
} {
  if (isObject(control)) return { cache: { ttl: control.ttl === '1h' ? '1h' : '5m' } };
  return isObject(breakpoint) ? { cache: { ttl: '1h' } } : {};
}

const LONG: CacheMark = { ttl: '1h' };
const SHORT: CacheMark = { ttl: '5m' };

/**
 * What is said of the whole request: OpenRouter's `cache_control`, or OpenAI's settings. Undefined without any of them: what
 * is written to a cache costs more than input, which nobody pays who did not ask for it. The long life costs more again,
 * so only those have it who named a time for a write that they pay for; OpenAI keeps a cache for a day at no charge.
 */
export function readCaching(body: JsonObject): CacheMark | undefined {
  const { cache_control: control, prompt_cache_options: options } = body;
  const { mode, ttl } = isObject(options) ? options : {};
  // Only the parts that the client marked itself.
  if (mode === 'explicit') return undefined;
  if (isObject(control)) return control.ttl === LONG.ttl ? LONG : SHORT;
  if (isName(ttl)) return LONG;
  return isName(mode) || isName(body.prompt_cache_key) || isName(body.prompt_cache_retention) ? SHORT : undefined;
}

function isName(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}
