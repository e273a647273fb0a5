// The client's field for one that an upstream refused after a translation.

import type { JsonObject } from '../kit/json/json.ts';
import type { Dialect } from './dialect.ts';

/** Where upstreams have what a client put into its prompt, or beside it. */
const PROMPTS: ReadonlySet<string> = new Set(['messages', 'input', 'instructions', 'system', 'contents']);

/** The client's field that it comes from; undefined if that is not known. Places within it are not the same. */
export function clientsField(param: string | undefined, dialect: Dialect, request: JsonObject): string | undefined {
  const [name = ''] = param?.split(/[.[]/) ?? [];
  if (PROMPTS.has(name)) return dialect.request.promptField;
  return Object.hasOwn(request, name) ? name : undefined;
}
