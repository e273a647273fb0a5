// Reads the fields of a messages request that the gateway sets or bills by. The rest passes unchanged.

import { fault } from '../../faults/fault.ts';
import { isObject, type Json, type JsonDocument, type JsonObject } from '../../kit/json/json.ts';
import { writeStart } from '../conversation.ts';
import type { RelayRequest } from '../dialect.ts';
import {
  MAX_TOKENS,
  nestedCount,
  objectList,
  optionalCount,
  optionalFlag,
  readModel,
  readServiceTier,
  refuseField,
  requireRoles,
} from '../fields.ts';
import { countInput, type InputCount } from '../input/count-input.ts';
import { addUse, type ToolUse, unlimitedUse } from '../input/tool-use.ts';
import { vendorToolUse } from '../input/vendor-tools.ts';
import { isAsked, joinRemovals, type Removals } from '../removals/removals.ts';
import { removeCompaction } from '../removals/remove-members.ts';
import { removeTools, type ToolRules } from '../removals/remove-tools.ts';
import { definedLater, type PlacedTool, refuseDefined, toolChanges } from './defined-later.ts';
import { isThinking, removeThinking } from './remove-thinking.ts';
import { usesOf, usesOfDefined } from './write-request.ts';

const ROLES: ReadonlySet<Json | undefined> = new Set(['user', 'assistant', 'system']);
/** The vendor wrote them, but the client runs them; a search for tools finds only those of the request. */
const CLIENTS_TOOL = /^(?:custom$|bash_|text_editor_|computer_|browser_|memory_|tool_search_)/;
const isClients = (type: string) => CLIENTS_TOOL.test(type);

/** The input of a messages request, which alone is enough to count it. */
export function readInput(document: JsonDocument): InputCount {
  refuseThread(document);
  const messages = objectList(document.value.messages, 'messages');
  requireRoles(messages, ROLES);
  const later = definedLater(toolChanges(document.value)).map(toolOf);
  return countInput(document, messages, vendorUse(document.value, later), later);
}

export function readRequest(document: JsonDocument): RelayRequest {
  const body = document.value;
  const input = readInput(document);
  const maxTokens = optionalCount(body, 'max_tokens', MAX_TOKENS, 0);
  if (maxTokens === undefined)
    refuseField('max_tokens', 'max_tokens is missing, and this format requires it. Set it to a whole number.');
  return {
    model: readModel(document),
    stream: optionalFlag(body, 'stream'),
    includeUsage: true,
    maxOutputTokens: maxTokens,
    boundName: 'max_tokens',
    choices: 1,
    images: 0,
    thinkingBudget: nestedCount(body, 'thinking', 'budget_tokens'),
    hasStops: isAsked(body.stop_sequences),
    serviceTier: readServiceTier(body),
    input,
    document,
  };
}

export function findRemovals(body: JsonObject, isFree: boolean): Removals {
  return joinRemovals(removeCompaction(body), removeThinking(body), removeAllTools(body, { isClients, isFree }));
}

function removeAllTools(body: JsonObject, rules: ToolRules): Removals {
  const defined = definedLater(toolChanges(body));
  if (defined.length === 0) return removeTools(body, rules);
  refuseDefined(defined, rules);
  // None of these is left, but each is one more that may be called.
  return removeTools(body, rules, [{ tools: defined.map(toolOf), at: 'messages' }]);
}

function toolOf({ tool }: PlacedTool): JsonObject {
  return tool;
}

/** Threads require stored content. After this error the vendor's SDK sends the full history. */
function refuseThread({ value }: JsonDocument): void {
  if (value.thread === undefined || value.thread === null) return;
  throw fault('invalid_request', {
    param: 'thread',
    message: 'Threads are not stored here. Send the full history in messages.',
    details: { error_code: 'thread_unsupported_request' },
  });
}

function vendorUse({ tools, mcp_servers: servers }: JsonObject, later: JsonObject[]): ToolUse {
  const listed = vendorToolUse(tools, isClients, usesOf);
  const defined = vendorToolUse(later, isClients, usesOfDefined);
  const use = addUse(listed, defined);
  return Array.isArray(servers) && servers.length > 0 ? addUse(use, unlimitedUse('mcp')) : use;
}

/** Undefined if no thinking is requested and none is in the history: such a conversation may go anywhere. */
export function conversationStart({ system, messages, thinking }: JsonObject): string | undefined {
  if (!Array.isArray(messages)) return undefined;
  const isAsked = isObject(thinking) && thinking.type !== 'disabled';
  if (!isAsked && !messages.some(hasThoughts)) return undefined;
  return writeStart([{ role: 'system', content: system ?? '' }, ...messages], ({ role }) => role !== 'assistant');
}

function hasThoughts(message: Json): boolean {
  return isObject(message) && Array.isArray(message.content) && message.content.some(isThinking);
}
