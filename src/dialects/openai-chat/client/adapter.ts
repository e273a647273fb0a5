// The OpenAI chat format as a client's, for upstreams of any other. A request is read here, and by the read-… files beside it. An
// answer is written by write-events.ts, as a stream or whole.

import { isObject, type Json, type JsonDocument, type JsonObject } from '../../../kit/json/json.ts';
import { openMember } from '../../../kit/json/raw-json.ts';
import { isEmptySetting, nestedCount, objectList, optionalObject, refuseField, stringAt } from '../../fields.ts';
import type { ClientAdapter } from '../../translate/adapters.ts';
import type { AnswerEvent } from '../../translate/answer-events.ts';
import type {
  Conversation,
  OutputFormat,
  RequestedReasoning,
  Setting,
  SettingKind,
} from '../../translate/conversation.ts';
import { COMMON_KINDS, readFormat, schemaFormat } from '../../translate/openai-settings.ts';
import { readCaching } from '../../translate/read-cache-mark.ts';
import { readParallel } from '../../translate/tools/openai-tools.ts';
import { usageOption } from '../read-request.ts';
import { readMessages } from './read-messages.ts';
import { readTools, usesFunctions } from './read-tools.ts';
import { createEventWriter, writeWhole } from './write-events.ts';

export const openaiChatClient: ClientAdapter = {
  readConversation,
  createEventWriter,
  writeWhole,
  hidesThoughts: (body) => isObject(body.reasoning) && body.reasoning.exclude === true,
  // A client that uses `functions` can receive only one call.
  findLost: (events, { asked }) => (usesFunctions(asked.value) && countCalls(events) > 1 ? ['function_call'] : []),
};

function countCalls(events: readonly AnswerEvent[]): number {
  return events.filter((event) => event.type === 'open' && event.block.kind === 'tool').length;
}

function readConversation(document: JsonDocument): Conversation {
  const { value: body } = document;
  const messages = objectList(body.messages, 'messages');
  const { tools, toolChoice, left } = readTools(body);
  const isLegacy = usesFunctions(body);
  return {
    ...readMessages(messages, openMember(document, 'messages')),
    tools,
    toolChoice,
    parallelTools: tools.length > 0 ? !isLegacy && readParallel(body) : undefined,
    toolChoiceName: body.tool_choice ? undefined : 'function_call',
    parallelToolsName: isLegacy ? undefined : 'parallel_tool_calls',
    reasoning: readRequestedReasoning(body),
    showsThoughts: wantsThoughts(body),
    format: readFormat(optionalObject(body, 'response_format'), 'response_format', readSchema),
    caching: readCaching(body),
    settings: [...readSettings(body), ...left, ...readNames(messages)],
  };
}

/** Other formats have no speaker names: they are reported as dropped. */
function readNames(messages: readonly JsonObject[]): Setting[] {
  const named = messages.find(
    ({ role, name }) => (role === 'user' || role === 'assistant') && typeof name === 'string',
  );
  return named ? [{ kind: 'other', name: 'name', value: named.name ?? null }] : [];
}

/** The members of OpenRouter's object that set how much to think; `exclude` does not. */
const THINKING_FIELDS = ['effort', 'enabled', 'max_tokens'] as const;

/** OpenAI's field; or OpenRouter's or Anthropic's, which libraries send in chats, too. */
function readRequestedReasoning(body: JsonObject): RequestedReasoning | undefined {
  const { reasoning_effort: effort } = body;
  if (effort !== undefined && effort !== null) {
    const word = stringAt(effort, 'reasoning_effort');
    return { name: 'reasoning_effort', ...effortOrOff(word), budget: nestedCount(body, 'thinking', 'budget_tokens') };
  }
  const reasoning = optionalObject(body, 'reasoning');
  if (reasoning && THINKING_FIELDS.some((name) => (reasoning[name] ?? null) !== null)) {
    const word = typeof reasoning.effort === 'string' ? reasoning.effort : undefined;
    const requested = reasoning.enabled === false ? OFF : effortOrOff(word);
    return { name: 'reasoning', ...requested, budget: nestedCount(body, 'reasoning', 'max_tokens') };
  }
  const thinking = optionalObject(body, 'thinking');
  if (!thinking) return undefined;
  const requested = thinking.type === 'disabled' ? OFF : effortOrOff(undefined);
  return { name: 'thinking', ...requested, budget: nestedCount(body, 'thinking', 'budget_tokens') };
}

/** Only OpenRouter has such a setting: OpenAI's own chat shows no thoughts. */
function wantsThoughts(body: JsonObject): boolean {
  const { exclude, ...others } = optionalObject(body, 'reasoning') ?? {};
  const asks = THINKING_FIELDS.some((name) => (others[name] ?? null) !== null);
  return exclude === false || (asks && exclude !== true);
}

const OFF = { isOff: true, effort: undefined };

function effortOrOff(effort: string | undefined): Pick<RequestedReasoning, 'isOff' | 'effort'> {
  return effort === 'none' ? OFF : { isOff: false, effort };
}

function readSchema(format: JsonObject): OutputFormat {
  const named = optionalObject(format, 'json_schema') ?? {};
  return isObject(named.schema) ? schemaFormat(named.schema, named) : { kind: 'json_object' };
}

/** Ours to set, or read elsewhere. */
const NO_SETTINGS: ReadonlySet<string> = new Set([
  ...['model', 'messages', 'stream', 'stream_options', 'max_tokens', 'max_completion_tokens', 'modalities'],
  ...['tools', 'tool_choice', 'functions', 'function_call', 'parallel_tool_calls'],
  ...['reasoning_effort', 'reasoning', 'thinking', 'response_format'],
]);

const KINDS: ReadonlyMap<string, SettingKind> = new Map<string, SettingKind>([
  ...COMMON_KINDS,
  ['top_k', 'top_k'],
  ['stop', 'stop'],
  ['seed', 'seed'],
  ['frequency_penalty', 'frequency_penalty'],
  ['presence_penalty', 'presence_penalty'],
  ['logprobs', 'logprobs'],
  ['top_logprobs', 'top_logprobs'],
  ['n', 'choices'],
  ['verbosity', 'verbosity'],
]);

/** Values that mean the same as omitting the field. */
const DEFAULT_VALUES: ReadonlyMap<string, readonly Json[]> = new Map<string, readonly Json[]>([
  ['n', [1]],
  ['store', [false]],
  ['logprobs', [false]],
  ['top_logprobs', [0]],
  ['frequency_penalty', [0]],
  ['presence_penalty', [0]],
  ['service_tier', ['auto', 'default']],
]);

function readSettings(body: JsonObject): Setting[] {
  refuseSound(body);
  return Object.entries(body).flatMap(([name, value]): Setting[] => {
    if (NO_SETTINGS.has(name) || value === undefined || value === null) return [];
    if (name === 'usage' && usageOption(body) !== undefined) return [];
    if (DEFAULT_VALUES.get(name)?.includes(value) || (name !== 'web_search_options' && isEmptySetting(value)))
      return [];
    return [{ kind: KINDS.get(name) ?? 'other', name, value }];
  });
}

/** An answer that is spoken is content, and no other format carries it. */
function refuseSound({ modalities }: JsonObject): void {
  if (Array.isArray(modalities) && modalities.some((name) => name !== 'text')) {
    refuseField('modalities', 'This model answers only in text. Set modalities to ["text"].');
  }
}
