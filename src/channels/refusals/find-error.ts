// Where an error stands in what an upstream says: in one of a few places, as an object or as a text beside its code, or the
// whole is the error, or a list of faults. Other bodies are none, whatever they say.

import { isObject, type Json, type JsonObject } from '../../kit/json/json.ts';
import { readListedFaults } from './listed-faults.ts';

export function findError(body: Json | undefined): JsonObject | undefined {
  // Google tells it as a list of one.
  const said = Array.isArray(body) ? body[0] : body;
  if (!isObject(said)) return undefined;
  const { error, response, choices, code = null } = said;
  const [choice] = Array.isArray(choices) ? choices : [];
  const within = [error, isObject(response) && response.error, isObject(choice) && choice.error].find(isObject);
  if (within) return within;
  if (typeof error === 'string') return { code, message: error };
  const isError = said.type === 'error' || said.object === 'error';
  const listed = readListedFaults(isObject(said.message) && isError ? said.message.detail : said.detail);
  if (listed) return isError ? { ...said, ...listed } : listed;
  return isError ? said : undefined;
}
