// A Responses request as we need it: the few fields we own or bill by, read one by one, and a remedy for what would
// need content that nobody stored.

import { isObject, type JsonDocument, type JsonObject } from '../../kit/json/json.ts';
import { editFields, editItems, leaveOut, type RawEdit, setTo } from '../../kit/json/raw-edit.ts';
import type { RelayRequest } from '../dialect.ts';
import {
  MAX_TOKENS,
  objectList,
  optionalCount,
  optionalFlag,
  optionalObject,
  readModel,
  readServiceTier,
  refuseField,
} from '../fields.ts';
import { countInput } from '../input/count-input.ts';
import { leaveCompaction } from '../left-behind/leave-compaction.ts';
import { leaveReasoning } from '../left-behind/leave-members.ts';
import { leavePixels } from '../left-behind/leave-pixels.ts';
import { joinLeft, type LeftBehind, NOTHING_LEFT } from '../left-behind/left-behind.ts';
import {
  editTools,
  type IsLeft,
  isLeftTool,
  leaveTools,
  type ToolList,
  type ToolRules,
} from '../left-behind/left-tools.ts';
import { lowerInside } from '../lower-inside.ts';
import { isClients, toolsIn, vendorUse } from './tool-calls.ts';

/** What refers to something a server remembers, and what to do instead. */
const STORED = Object.entries({
  previous_response_id:
    'Responses are not stored here, so previous_response_id is unknown. Send the full history in input.',
  conversation: 'Conversations are not stored here. Send the full history in input.',
  prompt: 'Prompt templates are not stored here. Send the text of the prompt in instructions and input.',
});

export function readRequest(document: JsonDocument): RelayRequest {
  const body = document.value;
  for (const [name, message] of STORED) {
    if (body[name] !== undefined && body[name] !== null) refuseField(name, message);
  }
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
    input: countInput(document, items, vendorUse(body, later), later),
    document,
  };
}

export function leaveBehind(body: JsonObject, isFree: boolean): LeftBehind {
  return joinLeft(
    leaveReasoning(body),
    leaveCompaction(body),
    leavePixels(body, 'input'),
    leaveAllTools(body, { isClients, isFree }),
  );
}

export function loweredFields(body: JsonObject, maxOutputTokens: number): readonly string[] {
  return lowerInside('reasoning', 'max_tokens', body, maxOutputTokens)?.lowered ?? [];
}

function leaveAllTools(body: JsonObject, rules: ToolRules): LeftBehind {
  const later = laterTools(body);
  const left = leaveTools(body, rules, later);
  if (left === NOTHING_LEFT || later.length === 0) return left;
  const isLeft = isLeftTool(rules);
  return { ...left, edits: { ...left.edits, input: editItems(body.input, (item) => editLaterTools(item, isLeft)) } };
}

/** An item with nothing else goes with its tools; what a search for tools found may be nothing. */
function editLaterTools({ type, tools }: JsonObject, isLeft: IsLeft): RawEdit | undefined {
  const edit = editTools(tools, isLeft);
  if (edit !== leaveOut) return editFields({ tools: edit });
  return type === 'additional_tools' ? leaveOut : editFields({ tools: setTo([]) });
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
  const wrong = items.findIndex(isNoItem);
  if (wrong >= 0) refuseItem(items[wrong], `input[${wrong}]`);
  return items;
}

function isNoItem(item: JsonObject): boolean {
  return isReference(item) || typeof (item.type ?? item.role) !== 'string';
}

function refuseItem(item: JsonObject | undefined, at: string): never {
  if (item && isReference(item)) {
    refuseField(at, `Items are not stored here. Send the whole item in place of ${at}; SDKs do so with store: false.`);
  }
  refuseField(at, `${at} has neither a type nor a role. Set one of them.`);
}

/** A reference may come without its type: then it is an id and nothing that could be content. */
function isReference({ type, id, role }: JsonObject): boolean {
  return type === 'item_reference' || ((type ?? role ?? null) === null && typeof id === 'string');
}
