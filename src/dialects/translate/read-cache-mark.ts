// Where clients of the OpenAI formats want the prompt to be cached.

import { isObject, type JsonObject } from '../../kit/json/json.ts';
import type { CacheMark } from './conversation.ts';

/** Anthropic's mark, which libraries put on parts of these formats too, or OpenAI's; the latter lasts 30 minutes or 12 hours. */
export function readCacheMark({ cache_control: control, prompt_cache_breakpoint: breakpoint }: JsonObject): {
  cache?: CacheMark;
} {
  if (isObject(control)) return { cache: { ttl: control.ttl === '1h' ? '1h' : '5m' } };
  return isObject(breakpoint) ? { cache: { ttl: '1h' } } : {};
}
