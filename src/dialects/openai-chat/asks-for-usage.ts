// Whether a chat client wants usage at the end of its stream: asked for as OpenAI says it, or as OpenRouter does.

import { isObject, type JsonObject } from '../../kit/json/json.ts';
import { optionalFlag, optionalObject } from '../fields.ts';

/** Throws a fault that names the field. */
export function asksForUsage(body: JsonObject): boolean {
  const options = optionalObject(body, 'stream_options');
  return (options !== undefined && optionalFlag(options, 'include_usage')) || usageWish(body) === true;
}

/** The value of OpenRouter's field; undefined if the client did not send it. */
export function usageWish({ usage }: JsonObject): boolean | undefined {
  return isObject(usage) && typeof usage.include === 'boolean' ? usage.include : undefined;
}
