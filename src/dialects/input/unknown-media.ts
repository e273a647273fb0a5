// Parts of a message of unknown types. Upstreams accept more types of media than one list can hold, and media that are given by a
// URL or an id may be of any size. Many other parts contain URLs, such as the tabs of a browser, so only parts with names of
// media count as media.

import { isObject, type Json, type JsonObject } from '../../kit/json/json.ts';

/** Addresses in these are quoted, not fetched: citations, search results, arguments of tool calls. */
const WORDS: ReadonlySet<Json | undefined> = new Set([
  ...['text', 'input_text', 'output_text', 'summary_text', 'reasoning_text', 'refusal'],
  ...['thinking', 'redacted_thinking', 'reasoning', 'compaction'],
  ...['tool_use', 'server_tool_use', 'mcp_tool_use', 'tool_call', 'tool_reference', 'search_result'],
  // It goes to a container, from which only a tool can bring it.
  'container_upload',
]);
const TOOL_RESULT = /_tool_result$/;

export function isWords({ type }: JsonObject): boolean {
  return WORDS.has(type);
}

/** The result of a tool that the upstream runs: text, and perhaps media. */
export function isToolResult({ type }: JsonObject): boolean {
  return typeof type === 'string' && TOOL_RESULT.test(type);
}

const MEDIA = /video|audio|image|picture|photo|file|document|pdf|media|attachment|^input_/i;

/**
 * By its type, or by the member that leads to it; or that member is named after its type, as `video_url` is. Also an address
 * with its data in it, whose size at the upstream is unknown.
 */
export function namesMedia(part: JsonObject): boolean {
  const { type } = part;
  if (typeof type === 'string' && (MEDIA.test(type) ? leadsElsewhere(part, '') : isAddress(part[type]))) return true;
  return Object.entries(part).some(([name, member]) => MEDIA.test(name) && leadsElsewhere(member, name));
}

function isAddress(value: Json | undefined): boolean {
  const address = isObject(value) ? value.url : value;
  return typeof address === 'string' && readsAsAddress(address);
}

const DATA_HEAD = /^data:[^\s,]*,/i;
const WEB_HEAD = /^[a-z][a-z\d+.-]*:\/\/\S/i;

/** The text may be as long as a body: a pattern that ends in `$` would take quadratic time. */
function readsAsAddress(text: string): boolean {
  const address = text.trim();
  return DATA_HEAD.test(address) || (WEB_HEAD.test(address) && !/\s/.test(address));
}

/** Whether the text leads to something that the upstream fetches. */
export function isReference(text: string): boolean {
  return WEB_HEAD.test(text.trimStart());
}

const DATA = /(?:^|_)(?:data|bytes|b64|base64)$|^(?:video|audio|image|media)s?$/i;
/** No file is shorter. */
const DATA_BEGIN = /^[\w+/-]{32}/;

/** Base64 without a `data:` head. */
function holdsData(text: string, name: string): boolean {
  return DATA.test(name) && DATA_BEGIN.test(text);
}

const REFERENCE = /(?:file|image|video|audio|media|asset|document)_?(?:id|ur[il])s?$|(?:^|_)ur[il]s?$/i;
/** Members with text, or with the sources of text. */
const TEXT_MEMBERS: ReadonlySet<string> = new Set(['text', 'annotations', 'citations']);

function leadsElsewhere(value: Json | undefined, name: string): boolean {
  if (typeof value === 'string') {
    return readsAsAddress(value) || (value !== '' && REFERENCE.test(name)) || holdsData(value, name);
  }
  if (Array.isArray(value)) return value.some((item) => leadsElsewhere(item, name));
  if (!isObject(value)) return false;
  return Object.entries(value).some(([inner, member]) => !TEXT_MEMBERS.has(inner) && leadsElsewhere(member, inner));
}
