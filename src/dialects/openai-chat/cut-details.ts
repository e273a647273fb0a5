// A router's list of details says the thoughts of its chunk once more: what of them the client has is cut there, too.

import { isObject, type Json, type JsonObject } from '../../kit/json/json.ts';

/** `rest` is the new end of the thoughts that were `said`. Undefined if the details are in other words. */
export function cutDetails(details: Json[], said: string, rest: string): Json[] | undefined {
  if (rest === said) return details;
  if (rest === '') return [];
  const list = details.filter(isObject);
  if (list.map((detail) => wordsOf(detail).text).join('') !== said) return undefined;
  const kept: JsonObject[] = [];
  let known = said.length - rest.length;
  for (const detail of list) {
    const { name, text } = wordsOf(detail);
    if (known === 0) kept.push(detail);
    else if (known < text.length) kept.push({ ...detail, [name]: text.slice(known) });
    known = Math.max(0, known - text.length);
  }
  return kept;
}

function wordsOf({ text, summary }: JsonObject): { name: 'text' | 'summary'; text: string } {
  if (typeof text === 'string') return { name: 'text', text };
  return { name: 'summary', text: typeof summary === 'string' ? summary : '' };
}
