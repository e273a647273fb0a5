// Describes a translated request that its upstream refused, so that an error of the translation can be found: the names and
// kinds of its members and the place that the upstream points to; no content.

import { ANSWER_LIMITS, scanTopLevel } from '../kit/json/json.ts';
import type { Spans } from '../kit/json/spans.ts';

const KINDS: Readonly<Record<string, string>> = {
  '"': 'text',
  '[': 'list',
  '{': 'object',
  t: 'true',
  f: 'false',
  n: 'null',
};

/** Names of the format itself. Others may be the client's content, such as the parameters of a tool. */
const OWN_NAMES: ReadonlySet<string> = new Set([
  ...['role', 'content', 'type', 'text', 'name', 'id', 'description', 'strict', 'index', 'status', 'output'],
  ...['function', 'parameters', 'arguments', 'tool_calls', 'tool_call_id', 'call_id', 'input_schema', 'input'],
  ...['tool_use_id', 'is_error', 'image_url', 'url', 'detail', 'file', 'file_data', 'input_audio', 'data', 'format'],
  ...['source', 'media_type', 'title', 'cache_control', 'ttl', 'citations', 'thinking', 'signature', 'budget_tokens'],
  ...['reasoning_content', 'reasoning', 'reasoning_details', 'summary', 'encrypted_content', 'effort', 'include_usage'],
  ...['json_schema', 'schema', 'mode', 'tools', 'user_id', 'parts', 'functionDeclarations', 'functionCall', 'args'],
  ...['functionResponse', 'response', 'inlineData', 'mimeType', 'thoughtSignature', 'thinkingConfig', 'thinkingBudget'],
  ...['maxOutputTokens', 'responseSchema', 'responseJsonSchema', 'parametersJsonSchema', 'functionCallingConfig'],
]);

/** `body`: as it was sent. `param`: as the upstream gave it. */
export function describeRefused(body: string, param: string | undefined): string {
  const members = scanTopLevel(body, ANSWER_LIMITS);
  const shape = members.list().map(({ name, valueStart }) => `${name} ${KINDS[body.charAt(valueStart)] ?? 'number'}`);
  const place = param === undefined ? '' : placeIn(members, param);
  return `${place ? `at ${place}; ` : ''}sent ${shape.join(', ')}`;
}

/** The part of the place with names of the format itself: from a member on, up to the first other name. */
function placeIn(members: Spans, param: string): string {
  const [first = '', ...rest] = param.split(/[.[\]]+/).filter((name) => name !== '');
  if (!members.has(first)) return '';
  const foreign = rest.findIndex((name) => !isIndex(name) && !OWN_NAMES.has(name));
  const own = foreign < 0 ? rest : rest.slice(0, foreign);
  return own.reduce((place, name) => place + (isIndex(name) ? `[${name}]` : `.${name}`), first);
}

function isIndex(name: string): boolean {
  return /^\d{1,6}$/.test(name);
}
