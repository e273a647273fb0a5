// The items of a Responses request as turns. All items of the model between two messages of the user are one turn: reasoning,
// text and calls.

import { isObject, type JsonObject } from '../../../kit/json/json.ts';
import { refuseField, stringAt } from '../../fields.ts';
import type {
  Part,
  ReasoningPart,
  Setting,
  TextPart,
  Tool,
  ToolCallPart,
  ToolResultPart,
  Turn,
} from '../../translate/conversation.ts';
import { splitSystem } from '../../translate/leading-system.ts';
import { unpackReasoning, untagToolId, VENDOR_ORIGIN } from '../../translate/opaque.ts';
import { requireResultParts } from '../../translate/result-parts.ts';
import { CallIds } from '../../translate/tools/call-ids.ts';
import { listOf } from '../read-output.ts';
import { createFindTool, type FindTool } from './find-tool.ts';
import { readParts, readTexts } from './read-parts.ts';
import { flatName } from './read-tools.ts';

interface ReadItems {
  system: TextPart[];
  turns: Turn[];
  /** Items of the vendor's own tools, which are omitted: the model's text has their results. */
  leftOut: Setting[];
}

const LEFT_OUT: ReadonlySet<unknown> = new Set([
  'web_search_call',
  'mcp_list_tools',
  'tool_search_call',
  'tool_search_output',
  'configuration_update',
]);
/** Read with the tools. */
const SILENT: ReadonlySet<unknown> = new Set(['additional_tools']);

export function readItems(items: readonly JsonObject[], tools: readonly Tool[]): ReadItems {
  const ids = new CallIds();
  const find = createFindTool(tools);
  const turns: Turn[] = [];
  const leftOut = new Map<string, Setting>();
  items.forEach((item, index) => {
    const at = `input[${index}]`;
    const kind = String(item.type);
    if (SILENT.has(item.type)) return;
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
    const isSystem = ROLES.get(item.role) === 'system';
    return (isSystem ? readTexts : readParts)(item.content, `${at}.content`);
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
  const content = requireResultParts(readParts(item.output, `${at}.output`));
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
