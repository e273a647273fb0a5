// Faults as FastAPI lists them in `detail`, one for each field, with its place: upstreams that are written with it refuse a
// request so, Mistral among them.

import { isObject, type Json, type JsonObject } from '../../kit/json/json.ts';

const MAX_SHOWN = 3;
/** Where the fields of a body are, which need not be said. */
const BODY = 'body';

/** The error they tell, with the first one's place; undefined if it is no such list. */
export function readListedFaults(detail: Json | undefined): JsonObject | undefined {
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
  const names = first === BODY ? rest : [first, ...rest];
  return names.reduce<string>((place, name) => {
    if (typeof name === 'number') return `${place}[${name}]`;
    if (typeof name !== 'string') return place;
    return place ? `${place}.${name}` : name;
  }, '');
}
