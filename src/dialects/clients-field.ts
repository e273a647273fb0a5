// The client's field for one that an upstream refused after a translation.

import type { JsonObject } from '../kit/json/json.ts';
import type { Dialect } from './dialect.ts';

/** The fields of upstream formats that contain the client's prompt. */
const PROMPTS: ReadonlySet<string> = new Set(['messages', 'input', 'instructions', 'system', 'contents']);

/** The client's field that became this one; undefined if unknown. Places inside the field may differ. */
export function clientsField(param: string | undefined, dialect: Dialect, request: JsonObject): string | undefined {
  const [name = ''] = param?.split(/[.[]/) ?? [];
  if (PROMPTS.has(name)) return dialect.request.promptField;
  return Object.hasOwn(request, name) ? name : undefined;
}
