// Reads the fields of a Responses request that the gateway sets or bills by. Fields that refer to stored content are refused
// with a remedy, because nothing is stored here.

import { isObject, type JsonDocument, type JsonObject } from '../../kit/json/json.ts';
import { editFields, editItems, type RawEdit, remove, setTo } from '../../kit/json/raw-edit.ts';
import type { RelayRequest } from '../dialect.ts';
import {
  MAX_TOKENS,
  objectList,
  optionalCount,
  optionalFlag,
  optionalObject,
  readLongCache,
  readModel,
  readServiceTier,
  refuseField,
} from '../fields.ts';
import { countInput, type InputCount } from '../input/count-input.ts';
import { lowerThinking } from '../lower-thinking.ts';
import { joinRemovals, NO_REMOVALS, type Removals } from '../removals/removals.ts';
import { removeCompaction, removePixels, removeReasoning } from '../removals/remove-members.ts';
import {
  editTools,
  type IsRemoved,
  isRemovedTool,
  removeTools,
  type ToolList,
  type ToolRules,
} from '../removals/remove-tools.ts';
import { isClients, toolsIn, vendorUse } from './tool-calls.ts';

/** Fields that refer to state on a server, and the remedy for each. */
const STORED = Object.entries({
  previous_response_id:
    'Responses are not stored here, so previous_response_id is unknown. Send the full history in input.',
  conversation: 'Conversations are not stored here. Send the full history in input.',
  prompt: 'Prompt templates are not stored here. Send the text of the prompt in instructions and input.',
});

export function readRequest(document: JsonDocument): RelayRequest {
  const body = document.value;
  refuseStored(body);
  if (optionalFlag(body, 'background')) {
    refuseField(
      'background',
      'Responses are not stored here, so background is not supported. Remove it, and use stream for long answers.',
    );
  }
  optionalFlag(body, 'store');
  optionalObject(body, 'reasoning');
  optionalObject(body, 'text');
  const items = readItems(body);
  const later = toolsIn(items);
  return {
    model: readModel(document),
    stream: optionalFlag(body, 'stream'),
    includeUsage: true,
    maxOutputTokens: optionalCount(body, 'max_output_tokens', MAX_TOKENS),
    boundName: 'max_output_tokens',
    choices: 1,
    images: 0,
    thinkingBudget: undefined,
    hasStops: false,
    serviceTier: readServiceTier(body),
    wantsLongCache: readLongCache(body),
    input: countInput(document, items, vendorUse(body, later), later),
    document,
  };
}

/** The input for POST /v1/responses/input_tokens, which may be counted before there is any. */
export function readInput(document: JsonDocument): InputCount {
  const { value: body } = document;
  refuseStored(body);
  const items = (body.input ?? null) === null ? [] : readItems(body);
  const later = toolsIn(items);
  return countInput(document, items, vendorUse(body, later), later);
}

export function writeInputCount(tokens: number) {
  return { object: 'response.input_tokens', input_tokens: tokens };
}

function refuseStored(body: JsonObject): void {
  for (const [name, message] of STORED) {
    if (body[name] !== undefined && body[name] !== null) refuseField(name, message);
  }
}

export function findRemovals(body: JsonObject, isFree: boolean): Removals {
  return joinRemovals(
    removeReasoning(body),
    removeCompaction(body),
    removePixels(body, 'input'),
    removeAllTools(body, { isClients, isFree }),
  );
}

export function loweredFields(body: JsonObject, maxOutputTokens: number): readonly string[] {
  return lowerThinking('reasoning', 'max_tokens', body, maxOutputTokens)?.lowered ?? [];
}

function removeAllTools(body: JsonObject, rules: ToolRules): Removals {
  const later = laterTools(body);
  const left = removeTools(body, rules, later);
  if (left === NO_REMOVALS || later.length === 0) return left;
  const isRemoved = isRemovedTool(rules);
  return { ...left, edits: { ...left.edits, input: editItems(body.input, (item) => editLaterTools(item, isRemoved)) } };
}

/** An item with only tools is removed with them; the result of a search for tools may stay empty. */
function editLaterTools({ type, tools }: JsonObject, isRemoved: IsRemoved): RawEdit | undefined {
  const edit = editTools(tools, isRemoved);
  if (edit !== remove) return editFields({ tools: edit });
  return type === 'additional_tools' ? remove : editFields({ tools: setTo([]) });
}

/** Tools that are defined later, in the history. */
function laterTools({ input }: JsonObject): ToolList[] {
  const lists: ToolList[] = [];
  if (!Array.isArray(input)) return lists;
  for (let index = 0; index < input.length; index++) {
    const item = input[index];
    if (isObject(item) && item.tools !== undefined) lists.push({ tools: item.tools, at: `input[${index}].tools` });
  }
  return lists;
}

function readItems(body: JsonObject): readonly JsonObject[] {
  if (typeof body.input === 'string') return [];
  if (!Array.isArray(body.input)) refuseField('input', 'input must be a text or a list of items.');
  const items = objectList(body.input, 'input');
  const wrong = items.findIndex((item) => isReference(item) || typeof (item.type ?? item.role) !== 'string');
  const item = items[wrong];
  if (!item) return items;
  const at = `input[${wrong}]`;
  if (!isReference(item)) refuseField(at, `${at} has neither a type nor a role. Set one of them.`);
  refuseField(at, `Items are not stored here. Send the whole item in place of ${at}; SDKs do so with store: false.`);
}

/** A reference may come without its type: then it is an id and nothing that could be content. */
function isReference({ type, id, role }: JsonObject): boolean {
  return type === 'item_reference' || ((type ?? role ?? null) === null && typeof id === 'string');
}
