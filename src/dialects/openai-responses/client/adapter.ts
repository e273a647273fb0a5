// The Responses format as a client's, for upstreams of any other. A request is read here, and its tools by read-tools.ts: all items
// of the model between two messages of the user are one turn of reasoning, text and calls. An answer is written by
// write-events.ts, as a stream or whole, and its items by write-items.ts.

import { isObject, type Json, type JsonDocument, type JsonObject } from '../../../kit/json/json.ts';
import { isEmptySetting, nestedCount, objectList, optionalObject, refuseField, stringAt } from '../../fields.ts';
import { readDocument, readImage } from '../../media/read-media.ts';
import type { ClientAdapter } from '../../translate/adapters.ts';
import { splitSystem } from '../../translate/arrange-turns.ts';
import type {
  Conversation,
  OutputFormat,
  Part,
  ReasoningPart,
  RequestedReasoning,
  Setting,
  SettingKind,
  TextPart,
  ToolCallPart,
  ToolResultPart,
  Turn,
} from '../../translate/conversation.ts';
import { unpackReasoning, untagToolId, VENDOR_ORIGIN } from '../../translate/opaque.ts';
import { COMMON_KINDS, readFormat, schemaFormat } from '../../translate/openai-settings.ts';
import { readCaching } from '../../translate/read-cache-mark.ts';
import { readCommonPart, readPartList, requireResultParts, requireTexts } from '../../translate/read-part-list.ts';
import { CallIds } from '../../translate/tools/call-ids.ts';
import { readParallel } from '../../translate/tools/openai-tools.ts';
import { listOf } from '../read-answer.ts';
import { type FindTool, flatName, readTools } from './read-tools.ts';
import { createEventWriter, writeWhole } from './write-events.ts';

export const openaiResponsesClient: ClientAdapter = { readConversation, createEventWriter, writeWhole };

function readConversation({ value: body }: JsonDocument): Conversation {
  const items = listItems(body);
  const { tools, toolChoice, left, find } = readTools(body, items);
  const { system, turns, leftOut } = readItems(items, find);
  return {
    system: [...readInstructions(body), ...system],
    turns,
    tools,
    toolChoice,
    parallelTools: tools.length > 0 ? readParallel(body) : undefined,
    parallelToolsName: 'parallel_tool_calls',
    reasoning: readRequestedReasoning(body),
    showsThoughts: (optionalObject(body, 'reasoning')?.summary ?? null) !== null,
    format: readFormat(optionalObject(optionalObject(body, 'text') ?? {}, 'format'), 'text.format', readSchema),
    caching: readCaching(body),
    settings: [...readSettings(body), ...left, ...leftOut],
  };
}

/** A text is one message of the user's. */
function listItems({ input }: JsonObject): readonly JsonObject[] {
  return typeof input === 'string' ? [{ role: 'user', content: input }] : objectList(input, 'input');
}

function readInstructions({ instructions }: JsonObject): TextPart[] {
  if (instructions === undefined || instructions === null) return [];
  const text = stringAt(instructions, 'instructions');
  return text === '' ? [] : [{ type: 'text', text, at: 'instructions' }];
}

/** `reasoning.summary` does not set how much to think. */
function readRequestedReasoning(body: JsonObject): RequestedReasoning | undefined {
  const reasoning = optionalObject(body, 'reasoning');
  const word = reasoning?.effort ?? undefined;
  const budget = nestedCount(body, 'reasoning', 'max_tokens');
  if (word === undefined && budget === undefined) return undefined;
  const effort = word === undefined ? undefined : stringAt(word, 'reasoning.effort');
  const isOff = effort === 'none';
  return { name: 'reasoning', isOff, effort: isOff ? undefined : effort, budget };
}

function readSchema(format: JsonObject): OutputFormat {
  const { schema } = format;
  if (!isObject(schema)) return refuseField('text.format.schema', 'text.format.schema must be a JSON schema.');
  return schemaFormat(schema, format);
}

/** Ours to set, read elsewhere, or of no meaning where nothing is stored. */
const NO_SETTINGS: ReadonlySet<string> = new Set([
  ...['model', 'input', 'instructions', 'stream', 'stream_options', 'store', 'background', 'max_output_tokens'],
  ...['tools', 'tool_choice', 'parallel_tool_calls', 'reasoning', 'text', 'include', 'client_metadata'],
]);

const KINDS: ReadonlyMap<string, SettingKind> = new Map(COMMON_KINDS);

/** Values that mean the same as omitting the field. */
const DEFAULT_VALUES: ReadonlyMap<string, readonly Json[]> = new Map<string, readonly Json[]>([
  ['top_logprobs', [0]],
  ['service_tier', ['auto', 'default']],
  ['truncation', ['disabled']],
]);

function readSettings(body: JsonObject): Setting[] {
  const settings = Object.entries(body).flatMap(([name, value]): Setting[] => {
    if (NO_SETTINGS.has(name) || value === undefined || value === null || isEmptySetting(value)) return [];
    if (DEFAULT_VALUES.get(name)?.includes(value)) return [];
    return [{ kind: KINDS.get(name) ?? 'other', name, value }];
  });
  const verbosity = optionalObject(body, 'text')?.verbosity ?? 'medium';
  if (verbosity !== 'medium') settings.push({ kind: 'verbosity', name: 'text.verbosity', value: verbosity });
  // Other values of it ask for results of tools that were removed.
  const { include = null } = body;
  if (listOf(include).includes('message.output_text.logprobs')) {
    settings.push({ kind: 'other', name: 'include', value: include });
  }
  return settings;
}

/** Items of the vendor's own tools, which are omitted: the model's text has their results. */
const LEFT_OUT: ReadonlySet<unknown> = new Set([
  ...['web_search_call', 'mcp_list_tools', 'tool_search_call', 'tool_search_output', 'configuration_update'],
]);

function readItems(items: readonly JsonObject[], find: FindTool) {
  const ids = new CallIds();
  const turns: Turn[] = [];
  const leftOut = new Map<string, Setting>();
  items.forEach((item, index) => {
    const at = `input[${index}]`;
    const kind = String(item.type);
    // Read with the tools.
    if (kind === 'additional_tools') return;
    if (LEFT_OUT.has(item.type)) leftOut.set(kind, { kind: 'other', name: kind, value: item.type ?? null });
    else addTurn(turns, { role: roleOf(item, at), parts: readItem(item, at, ids, find), at });
  });
  return { ...splitSystem(turns), leftOut: [...leftOut.values()] };
}

/** Items of one role in a row are one turn; messages of the user stay separate. */
function addTurn(turns: Turn[], turn: Turn): void {
  const before = turns.at(-1);
  if (turn.role === 'assistant' && before?.role === 'assistant') before.parts.push(...turn.parts);
  else if (turn.role !== 'assistant' || turn.parts.length > 0) turns.push(turn);
}

const ROLES = new Map<unknown, Turn['role']>([
  ['user', 'user'],
  ['assistant', 'assistant'],
  ['system', 'system'],
  ['developer', 'system'],
]);

function roleOf(item: JsonObject, at: string): Turn['role'] {
  if (isMessage(item)) {
    const role = ROLES.get(item.role);
    return role ?? refuseField(`${at}.role`, `Set ${at}.role to one of ${[...ROLES.keys()].join(', ')}.`);
  }
  return String(item.type).endsWith('_output') || item.type === 'mcp_approval_response' ? 'user' : 'assistant';
}

function isMessage({ type }: JsonObject): boolean {
  return type === 'message' || type === undefined || type === null;
}

function readItem(item: JsonObject, at: string, ids: CallIds, find: FindTool): Part[] {
  if (isMessage(item)) {
    const parts = readPartList(item.content, `${at}.content`, readPart);
    return ROLES.get(item.role) === 'system' ? requireTexts(parts) : parts;
  }
  switch (item.type) {
    case 'function_call':
    case 'custom_tool_call':
      return [readCall(item, at, ids, find)];
    case 'function_call_output':
    case 'custom_tool_call_output':
      return [readResult(item, at, ids)];
    case 'reasoning':
      return readReasoning(item, at);
    default:
      return [{ type: 'other', kind: String(item.type), at }];
  }
}

function readCall(item: JsonObject, at: string, ids: CallIds, find: FindTool): ToolCallPart {
  const isCustom = item.type === 'custom_tool_call';
  const field = isCustom ? 'input' : 'arguments';
  const tagged = stringAt(item.call_id, `${at}.call_id`);
  const called = stringAt(item.name, `${at}.name`);
  const namespace = typeof item.namespace === 'string' ? item.namespace : undefined;
  return {
    type: 'tool_call',
    id: ids.add(tagged),
    name: find(called, namespace)?.name ?? flatName(called, namespace),
    arguments: stringAt(item[field] ?? '', `${at}.${field}`),
    isCustom,
    opaque: untagToolId(tagged).opaque,
    at,
  };
}

function readResult(item: JsonObject, at: string, ids: CallIds): ToolResultPart {
  const content = requireResultParts(readPartList(item.output, `${at}.output`, readPart));
  const callId = ids.find(stringAt(item.call_id, `${at}.call_id`));
  return { type: 'tool_result', callId, content, isError: false, at };
}

/** Unpacks reasoning that the gateway packed. Of a vendor's encrypted reasoning only the summary can be read. */
function readReasoning(item: JsonObject, at: string): ReasoningPart[] {
  const { encrypted_content: encrypted, content, summary } = item;
  const isSealed = typeof encrypted === 'string' && encrypted !== '';
  const own = isSealed ? unpackReasoning(encrypted) : undefined;
  if (own) return [{ type: 'reasoning', ...own, at }];
  const parts = listOf(content).length > 0 ? listOf(content) : listOf(summary);
  const text = parts.map((part) => (isObject(part) && typeof part.text === 'string' ? part.text : '')).join('\n\n');
  const opaque = isSealed ? { origin: VENDOR_ORIGIN, value: '' } : undefined;
  return text === '' ? [] : [{ type: 'reasoning', text, opaque, at }];
}

/** Of the content of a message or of a tool's output. */
function readPart(part: JsonObject, at: string): Part {
  switch (part.type) {
    case 'summary_text':
      return { type: 'text', text: stringAt(part.text, `${at}.text`), at };
    case 'input_image':
      return readImagePart(part, at);
    case 'input_file':
      return readFile(part, at);
    default:
      return readCommonPart(part, at);
  }
}

function readImagePart({ image_url: url, detail }: JsonObject, at: string): Part {
  if (typeof url !== 'string') refuseField(at, `Files are not stored here. Send the content of ${at} as image_url.`);
  return { type: 'image', source: readImage(url, at), detail: typeof detail === 'string' ? detail : undefined, at };
}

function readFile({ file_data: data, file_url: url, filename }: JsonObject, at: string): Part {
  const title = typeof filename === 'string' ? filename : undefined;
  if (typeof data === 'string') return readDocument(data, title, at);
  if (typeof url !== 'string') refuseField(at, `Files are not stored here. Send the content of ${at} as file_data.`);
  return { type: 'document', source: { kind: 'url', url }, title, at };
}
