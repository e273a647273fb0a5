// Where clients of the OpenAI formats want the prompt to be cached, and whether they want it wherever it pays.

import { isObject, type Json, type JsonObject } from '../../kit/json/json.ts';
import { isGiven } from '../counts.ts';
import { nonEmptyString } from '../fields.ts';
import type { CacheMark, Caching } from './conversation.ts';

/** Anthropic's mark, which libraries put on parts of these formats too, or OpenAI's; the latter lasts 30 minutes or 12 hours. */
export function readCacheMark({ cache_control: control, prompt_cache_breakpoint: breakpoint }: JsonObject): {
  cache?: CacheMark;
} {
  if (isObject(control)) return { cache: { ttl: control.ttl === '1h' ? '1h' : '5m' } };
  return isObject(breakpoint) ? { cache: { ttl: '1h' } } : {};
}

const LONG: CacheMark = { ttl: '1h' };
const SHORT: CacheMark = { ttl: '5m' };
/** Values of OpenAI and Anthropic for more than five minutes. Claude caches for five minutes or an hour. */
const LONG_TIMES: readonly unknown[] = ['30m', '1h', '12h', '24h'];

/**
 * The cache settings of the whole request: OpenRouter's `cache_control`, or OpenAI's settings. Undefined without any of them,
 * because a cache write costs more than input. A write for an hour costs even more, so it needs a time that the client set for a
 * write that it pays for; OpenAI keeps a cache for a day at no charge.
 */
export function readCaching(body: JsonObject): Caching | undefined {
  const { cache_control: control, prompt_cache_options: options } = body;
  const { mode, ttl } = isObject(options) ? options : {};
  // Only the parts that the client marked itself, or nothing that we would know.
  if (isGiven(mode) && mode !== 'implicit') return undefined;
  if (isObject(control) && control.type === 'ephemeral') return { mark: markFor(control.ttl), besideOwn: true };
  if (isGiven(mode) || isGiven(ttl)) return { mark: markFor(ttl), besideOwn: true };
  const { prompt_cache_key: key, prompt_cache_retention: retention } = body;
  const isNamed = [key, retention].some((value) => nonEmptyString(value) !== undefined);
  return isNamed ? { mark: SHORT, besideOwn: false } : undefined;
}

function markFor(ttl: Json | undefined): CacheMark {
  return LONG_TIMES.includes(ttl) ? LONG : SHORT;
}

/** The values of these settings that cache marks can express. */
const MARK_VALUES: Readonly<Record<string, readonly unknown[]>> = {
  type: ['ephemeral'],
  mode: ['implicit', 'explicit'],
  ttl: ['5m', ...LONG_TIMES],
};

export function isExpressedByMarks(setting: Json): boolean {
  return (
    isObject(setting) &&
    Object.entries(setting).every(([name, said]) => !isGiven(said) || MARK_VALUES[name]?.includes(said))
  );
}
