// The Responses format as a client's, for upstreams of any other. A request is read here and by the read-… files beside it. An
// answer is written by write-events.ts, as a stream or whole, and its items by write-items.ts.

import { isObject, type Json, type JsonDocument, type JsonObject } from '../../../kit/json/json.ts';
import { isEmptySetting, nestedCount, objectList, optionalObject, refuseField, stringAt } from '../../fields.ts';
import type { ClientAdapter } from '../../translate/adapters.ts';
import type {
  Conversation,
  OutputFormat,
  ReasoningWish,
  Setting,
  SettingKind,
  TextPart,
} from '../../translate/conversation.ts';
import { COMMON_KINDS, readFormat, schemaFormat } from '../../translate/openai-settings.ts';
import { readCaching } from '../../translate/read-cache-mark.ts';
import { readParallel } from '../../translate/tools/openai-tools.ts';
import { listOf } from '../read-answer.ts';
import { readItems } from './read-items.ts';
import { readTools } from './read-tools.ts';
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
    reasoning: readReasoningWish(body),
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
function readReasoningWish(body: JsonObject): ReasoningWish | undefined {
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
  const plain = Object.entries(body).flatMap(([name, value]): Setting[] => {
    if (NO_SETTINGS.has(name) || value === undefined || value === null || isEmptySetting(value)) return [];
    if (DEFAULT_VALUES.get(name)?.includes(value)) return [];
    return [{ kind: KINDS.get(name) ?? 'other', name, value }];
  });
  const verbosity = optionalObject(body, 'text')?.verbosity ?? 'medium';
  if (verbosity !== 'medium') plain.push({ kind: 'verbosity', name: 'text.verbosity', value: verbosity });
  return [...plain, ...readInclude(body)];
}

/** Only log probabilities are reported as dropped: other values ask for results of tools that were removed. */
function readInclude({ include }: JsonObject): Setting[] {
  const logprobs = listOf(include).includes('message.output_text.logprobs');
  return logprobs ? [{ kind: 'other', name: 'include', value: include ?? null }] : [];
}
