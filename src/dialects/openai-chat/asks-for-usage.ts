// Whether a chat client requests usage at the end of its stream, by the field of OpenAI or of OpenRouter.

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
