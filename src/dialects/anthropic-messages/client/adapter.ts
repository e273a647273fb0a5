// The Anthropic messages format as a client's, for upstreams of any other. A request is read here and by the read-… files beside
// it: fields that the gateway sets or bills by were checked before, and those without a counterpart in other formats are
// reported. An answer is written by write-events.ts, as a stream or whole.

import { isObject, type Json, type JsonDocument, type JsonObject } from '../../../kit/json/json.ts';
import { openMember } from '../../../kit/json/raw-json.ts';
import { objectList, refuseField } from '../../fields.ts';
import { isMeaningful } from '../../removals/priced-fields.ts';
import type { ClientAdapter } from '../../translate/adapters.ts';
import { splitSystem } from '../../translate/arrange-turns.ts';
import type {
  Conversation,
  OutputFormat,
  RequestedReasoning,
  Setting,
  SettingKind,
  TextPart,
  Turn,
} from '../../translate/conversation.ts';
import { readCacheMark } from '../../translate/read-cache-mark.ts';
import { CallIds } from '../../translate/tools/call-ids.ts';
import { readContent, readTexts } from './read-blocks.ts';
import { isStrictElsewhere, type KnownTools, readTools } from './read-tools.ts';
import { createEventWriter, writeWhole } from './write-events.ts';

export const anthropicMessagesClient: ClientAdapter = {
  readConversation,
  createEventWriter,
  writeWhole,
  // A citation there points to a search result, and there is none in a translated answer.
  findLost: (events) => (events.some(({ type }) => type === 'cite') ? ['citations'] : []),
};

function readConversation(document: JsonDocument): Conversation {
  const { value: body } = document;
  const { tools, toolChoice, parallelTools, left, known } = readTools(body);
  const ofTurns = readTurnSettings(objectList(body.messages, 'messages'));
  const { system, turns } = splitSystem(readTurns(document, known));
  return {
    system: [...readSystem(body.system), ...system],
    turns,
    tools,
    toolChoice,
    parallelTools,
    parallelToolsName: 'tool_choice.disable_parallel_tool_use',
    reasoning: readReasoning(body, ofTurns.effort),
    showsThoughts: membersOf(body, 'thinking')['thinking.display'] === SHOWN,
    format: readFormat(body),
    settings: [...readSettings(body), ...ofTurns.left, ...left],
  };
}

function readTurns(document: JsonDocument, tools: KnownTools): Turn[] {
  const { value: body } = document;
  const messages = openMember(document, 'messages');
  const ids = new CallIds();
  const turns = objectList(body.messages, 'messages').map(({ role, content }, index): Turn => {
    const at = `messages[${index}]`;
    const parts =
      role === 'system'
        ? readTexts(content, `${at}.content`, tools)
        : readContent(content, `${at}.content`, {
            raw: () => messages?.at(index)?.at('content'),
            ids,
            tools,
          });
    return { role: role === 'assistant' || role === 'system' ? role : 'user', parts, at };
  });
  return markLast(turns, body);
}

/** A mark on the whole request equals one on its last block. */
function markLast(turns: Turn[], body: JsonObject): Turn[] {
  const { cache } = readCacheMark(body);
  const last = turns.at(-1)?.parts.at(-1);
  if (cache && last && last.cache === undefined) last.cache = cache;
  return turns;
}

const BILLING = 'x-anthropic-billing-header:';

/** Claude Code's first block identifies the client to the vendor. It is not an instruction, and differs by session. */
function readSystem(system: Json | undefined): TextPart[] {
  const whole = readTexts(system, 'system');
  if (typeof system !== 'string') return whole.filter(({ text }) => !text.startsWith(BILLING));
  return [{ type: 'text', text: system.startsWith(BILLING) ? system.replace(/^.*\n?/, '') : system, at: 'system' }];
}

/** With `between_tools` a model only thinks between calls of tools. */
const OFF: ReadonlySet<Json | undefined> = new Set(['disabled', 'between_tools']);

function readReasoning(body: JsonObject, ofTurn: string | undefined): RequestedReasoning | undefined {
  const { thinking } = body;
  const effort = ofTurn ?? effortOf(body);
  if (!isObject(thinking)) {
    const name = ofTurn === undefined ? 'output_config.effort' : TURN_EFFORT;
    return effort === undefined ? undefined : { name, isOff: false, effort, budget: undefined };
  }
  if (OFF.has(thinking.type)) return { name: 'thinking', isOff: true, effort: undefined, budget: undefined };
  const budget = typeof thinking.budget_tokens === 'number' ? thinking.budget_tokens : undefined;
  return { name: 'thinking', isOff: false, effort, budget };
}

const FORMAT_NAME = 'output';

/** `output_format` is its former name. */
function readFormat({ output_config: config, output_format: before }: JsonObject): OutputFormat | undefined {
  const format = isObject(config) && isObject(config.format) ? config.format : before;
  if (!isObject(format)) return undefined;
  if (format.type !== 'json_schema') {
    refuseField('output_config.format.type', 'output_config.format.type must be json_schema.');
  }
  const schema = format.schema ?? {};
  return { kind: 'json_schema', name: FORMAT_NAME, schema, strict: isStrictElsewhere(schema) || undefined };
}

const SETTINGS: ReadonlyMap<string, SettingKind> = new Map([
  ['temperature', 'temperature'],
  ['top_p', 'top_p'],
  ['top_k', 'top_k'],
  ['stop_sequences', 'stop'],
  ['metadata.user_id', 'user'],
]);
/** Fields that are read elsewhere. */
const NO_SETTINGS = new Set([
  ...['model', 'max_tokens', 'stream', 'messages', 'system', 'tools', 'tool_choice'],
  ...['thinking', 'output_config', 'output_format', 'metadata', 'cache_control'],
]);

const SHOWN = 'summarized';

/** Values that mean the same as omitting the field. */
const DEFAULT_VALUES: ReadonlyMap<string, readonly Json[]> = new Map<string, readonly Json[]>([
  ['service_tier', ['auto', 'standard_only']],
  ['inference_geo', ['global']],
  ['speed', ['standard']],
  // Sent where there is such a setting; elsewhere reasoning is shown as it comes.
  ['thinking.display', [SHOWN]],
]);

/** Objects whose members are settings. */
const OUTER = ['metadata', 'output_config', 'thinking'] as const;

function readSettings(body: JsonObject): Setting[] {
  const holders = [body, ...OUTER.map((outer) => membersOf(body, outer))];
  return holders
    .flatMap((members) => Object.entries(members))
    .flatMap(([name, value]): Setting[] => {
      if (NO_SETTINGS.has(name) || value === undefined || value === null) return [];
      if (DEFAULT_VALUES.get(name)?.includes(value) || (Array.isArray(value) && value.length === 0)) return [];
      return [{ kind: SETTINGS.get(name) ?? 'other', name, value }];
    });
}

const READ_INSIDE = new Set([
  ...['output_config.effort', 'output_config.format'],
  ...['thinking.type', 'thinking.budget_tokens'],
]);

/** As many as a body may have: each is read as a setting, all of them in one turn of the event loop. */
const MAX_SETTINGS = 1_000;

function membersOf(body: JsonObject, outer: string): JsonObject {
  const value = body[outer];
  // Disabled thinking has no other settings.
  if (!isObject(value) || (outer === 'thinking' && value.type === 'disabled')) return {};
  if (Object.keys(value).length > MAX_SETTINGS) {
    refuseField(
      outer,
      `${outer} has more than ${MAX_SETTINGS} fields, and this model is reached by a translation. Send fewer.`,
    );
  }
  const named = Object.entries(value).map(([name, member]) => [`${outer}.${name}`, member] as const);
  return Object.fromEntries(named.filter(([name]) => !READ_INSIDE.has(name)));
}

const TURN_EFFORT = 'messages.output_config.effort';

/**
 * Settings in a message or a block. An effort applies to the turns after it, so the last one applies to the answer; other
 * formats have no field for the rest.
 */
function readTurnSettings(messages: readonly JsonObject[]) {
  let effort: string | undefined;
  /** Applies from the next message of the user. */
  let next: string | undefined;
  let isAsked = false;
  const left = new Map<string, Setting>();
  for (const message of messages) {
    const said = message.role === 'system' ? effortOf(message) : undefined;
    for (const [name, value] of settingsOf(message)) {
      if (name !== TURN_EFFORT || said === undefined) left.set(name, { kind: 'other', name, value });
    }
    if (wantsCitations(message.content)) left.set('citations', { kind: 'other', name: 'citations', value: true });
    if (message.role !== 'system') isAsked = hasNewWords(message);
    next = said ?? next;
    if (isAsked) effort = next ?? effort;
  }
  return { effort, left: [...left.values()] };
}

function effortOf({ output_config: config }: JsonObject): string | undefined {
  return isObject(config) && typeof config.effort === 'string' ? config.effort : undefined;
}

/** False for tool results alone: they continue the request before. */
function hasNewWords({ role, content }: JsonObject): boolean {
  if (role !== 'user') return false;
  return !Array.isArray(content) || content.some((block) => isObject(block) && block.type !== 'tool_result');
}

/** All fields of system messages, which only the client writes. Other messages may be answers that are sent back. */
function settingsOf(message: JsonObject): [string, Json][] {
  const { output_config: config } = message;
  const inside = isObject(config) ? named(config, 'messages.output_config') : [];
  if (message.role !== 'system') return inside;
  const { role: _role, content: _content, output_config: _config, ...others } = message;
  return [...inside, ...named(others, 'messages')];
}

/** Whether a document or search result, also inside a tool result, enables citations. */
function wantsCitations(content: Json | undefined): boolean {
  if (!Array.isArray(content)) return false;
  return content.some((block) => {
    if (!isObject(block)) return false;
    return (isObject(block.citations) && block.citations.enabled === true) || wantsCitations(block.content);
  });
}

function named(members: JsonObject, outer: string): [string, Json][] {
  return Object.entries(members).flatMap(([name, value]): [string, Json][] =>
    isMeaningful(value) ? [[`${outer}.${name}`, value]] : [],
  );
}
