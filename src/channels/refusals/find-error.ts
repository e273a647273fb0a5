// Finds the error object in an upstream's body: in one of a few fields, as an object or as text beside its code, as the
// whole body, or as a list of faults. Other bodies contain no error.

import { isObject, type Json, type JsonObject } from '../../kit/json/json.ts';

const MAX_SHOWN = 3;

export function findError(body: Json | undefined): JsonObject | undefined {
  // Google sends a list with one element.
  const document = Array.isArray(body) ? body[0] : body;
  if (!isObject(document)) return undefined;
  const { error, response, choices, code = null } = document;
  const [choice] = Array.isArray(choices) ? choices : [];
  const within = [error, isObject(response) && response.error, isObject(choice) && choice.error].find(isObject);
  if (within) return within;
  if (typeof error === 'string') return { code, message: error };
  const isError = document.type === 'error' || document.object === 'error';
  const listed = readListedFaults(isObject(document.message) && isError ? document.message.detail : document.detail);
  if (listed) return isError ? { ...document, ...listed } : listed;
  return isError ? document : undefined;
}

/** The field errors that FastAPI lists in `detail`, as one error with the first field; Mistral sends them. */
function readListedFaults(detail: Json | undefined): JsonObject | undefined {
  if (!Array.isArray(detail)) return undefined;
  const faults = detail.slice(0, MAX_SHOWN).flatMap(readFault);
  const [first] = faults;
  if (!first) return undefined;
  const message = faults.map(({ place, text }) => (place ? `${place}: ${text}` : text)).join('; ');
  return { message, param: first.place || null };
}

function readFault(fault: Json): { place: string; text: string }[] {
  if (!isObject(fault) || typeof fault.msg !== 'string') return [];
  return [{ place: placeOf(Array.isArray(fault.loc) ? fault.loc : []), text: fault.msg }];
}

function placeOf([first, ...rest]: readonly Json[]): string {
  const names = first === 'body' ? rest : [first, ...rest];
  return names.reduce<string>((place, name) => {
    if (typeof name === 'number') return `${place}[${name}]`;
    if (typeof name !== 'string') return place;
    return place ? `${place}.${name}` : name;
  }, '');
}
