// Gemini as an upstream of clients that speak other dialects. A request is written here and by the write-… files beside; safety
// settings keep the vendor's defaults. An answer is read by read-events.ts, as a stream or whole.

import { type JsonObject, objectsOf } from '../../kit/json/json.ts';
import { type RawValue, writeJson } from '../../kit/json/raw-json.ts';
import { geminiTraits } from '../../vendors/gemini.ts';
import type { UpstreamFields } from '../dialect.ts';
import { refuseField } from '../fields.ts';
import type { Target, UpstreamAdapter, WrittenRequest } from '../translate/adapters.ts';
import { arrangeTurns, beginWithUser, mergeTurns, prepareBegunAnswer } from '../translate/arrange-turns.ts';
import { settingsOfParts } from '../translate/check-settings.ts';
import type { Conversation, Tool, ToolChoice, Turn } from '../translate/conversation.ts';
import { GOOGLE_ORIGIN } from '../translate/opaque.ts';
import { objectSchema } from '../translate/tools/tool-arguments.ts';
import { allowedTools, createToolNames, type ToolNames, withUpstreamNames } from '../translate/tools/tool-names.ts';
import { createEventReader, readWhole } from './read-events.ts';
import { writeAsStream } from './read-stream.ts';
import { mergeAny, writeSchema } from './schema.ts';
import { planFormat, planThinking, writeSettings } from './write-settings.ts';
import { type GeminiContent, writeTurn } from './write-turns.ts';

const NAME = /^[a-zA-Z_][a-zA-Z0-9_.-]*$/;
const NAME_CHARS = 64;

export const geminiUpstream: UpstreamAdapter = {
  takesInside: ['image', 'document'],
  writeConversation,
  createEventReader,
  readWhole,
  writeAsStream,
};

function writeConversation(conversation: Conversation, target: Target): WrittenRequest {
  const traits = geminiTraits(target.model);
  const { toolChoice } = conversation;
  const names = createToolNames(conversation.tools, NAME, NAME_CHARS);
  const named = withUpstreamNames(conversation, names);
  const plan = planTurns(named, target);
  const isAnswerOnly = !traits.takesFormatWithTools && conversation.format !== undefined && toolChoice?.mode === 'none';
  // If a call is forced, all stay declared, because the choice itself names the allowed ones.
  const declared = toolChoice?.mode === 'auto' ? allowedTools(conversation) : conversation.tools;
  const tools = isAnswerOnly ? [] : declared;
  const format = planFormat(conversation, { isAlone: tools.length === 0, names, ...traits });
  const functions = [...tools, ...(format.tool ? [format.tool] : [])].map((tool) => writeTool(tool, names));
  const choice = writeToolChoice(toolChoice, names, format.tool !== undefined);
  const thinking = planThinking(conversation, traits.thinking);
  const settings = writeSettings(conversation.settings, traits);
  const system = [...named.system.map(({ text }) => text), format.hint ?? ''].filter((text) => text !== '');
  const calls = plan.turns.flatMap(({ parts }) => parts).filter((part) => part.type === 'tool_call');
  const calledBy = new Map(calls.map(({ id, name }) => [id, names.toUpstream(name)]));
  // Written at once, so that a request that cannot be carried is refused before anything is sent.
  const contents = plan.turns.map((turn) => writeTurn(turn, { names, calledBy, ...target, ...traits }));

  function body(fields: UpstreamFields, { prefill }: { prefill?: string | undefined }): string {
    return writeJson({
      systemInstruction: system.length > 0 ? { parts: system.map((text) => ({ text })) } : undefined,
      contents: prefill === undefined ? contents : appendPrefill(contents, prefill),
      tools: functions.length > 0 ? [{ functionDeclarations: functions }] : undefined,
      toolConfig: functions.length > 0 && choice ? { functionCallingConfig: choice } : undefined,
      generationConfig: {
        maxOutputTokens: fields.maxOutputTokens,
        ...settings.config,
        ...format.config,
        thinkingConfig: thinking.config(fields),
      },
    });
  }

  const { parallelTools, parallelToolsName: serial } = conversation;
  const isSerial = serial !== undefined && parallelTools === false && functions.length > 0;
  return {
    body,
    dropped: [
      ...settings.dropped,
      ...thinking.dropped,
      ...(isSerial ? [serial] : []),
      ...settingsOfParts(conversation, tools),
    ],
    reworded: [...(plan.isReworded ? ['prefill'] : []), ...(format.hint ? ['response_format'] : [])],
    names,
    formatTool: format.tool?.name,
    localStops: settings.localStops,
  };
}

/** Appends the answer so far to the client's own prefill, without white space at its end. */
function appendPrefill(contents: readonly GeminiContent[], text: string): GeminiContent[] {
  const last = contents.at(-1);
  const begun = last?.role === 'model' ? last.parts : [];
  const kept = begun.length > 0 ? contents.slice(0, -1) : contents;
  return [...kept, { role: 'model', parts: [...begun, { text: text.trimEnd() }] }];
}

// The turns of a conversation as Gemini takes them: user and model in turn, the user first, and of thoughts only what its
// own model signed.
function planTurns({ turns }: Conversation, { prefill, origin }: Target) {
  const usable = turns.map((turn) => withOwnThoughts(turn, origin));
  const begun = prepareBegunAnswer(arrangeTurns(usable, { midSystem: 'fold' }), prefill);
  return { ...begun, turns: beginWithUser(mergeTurns(begun.turns)) };
}

/** The signature of thoughts is sent with the part after them; without such a part, the thoughts are removed. */
function withOwnThoughts(turn: Turn, origin: string): Turn {
  const last = turn.parts.findLastIndex(({ type }) => type !== 'reasoning');
  const parts = turn.parts
    .slice(0, last + 1)
    .filter((part) => part.type !== 'reasoning' || [origin, GOOGLE_ORIGIN].includes(part.opaque?.origin ?? ''));
  return { ...turn, parts };
}

function writeTool(tool: Tool, names: ToolNames): RawValue {
  const schema = parametersOf(tool);
  return {
    name: names.toUpstream(tool.name),
    description: tool.description,
    // An object without properties is refused; a function without parameters is not.
    parametersJsonSchema: isEmpty(schema) ? undefined : schema,
  };
}

function parametersOf(tool: Tool): JsonObject {
  const { anyOf, ...schema } = writeSchema(objectSchema(tool));
  const choices = objectsOf(anyOf);
  const merged = choices.length > 0 ? mergeAny(choices.map((choice) => ({ ...schema, ...choice }))) : schema;
  const { type = 'object' } = merged;
  const isOfObject = type === 'object' || (Array.isArray(type) && type.includes('object'));
  if (!isOfObject) refuseField(tool.at, `The schema of the tool ${tool.name} must be of type object.`);
  return { ...merged, type: 'object' };
}

function isEmpty({ properties, additionalProperties }: JsonObject): boolean {
  const isOpen = additionalProperties !== undefined && additionalProperties !== false;
  return !isOpen && Object.keys(properties ?? {}).length === 0;
}

/** For `functionCallingConfig`; `mustCall`: the answer itself is a call, so there must be one. */
function writeToolChoice(choice: ToolChoice | undefined, names: ToolNames, mustCall: boolean): RawValue | undefined {
  if (!choice || mustCall) return mustCall ? { mode: 'ANY' } : undefined;
  const only = choice.mode === 'tool' ? [choice.name] : choice.mode === 'any' ? choice.allowed : undefined;
  const mode = choice.mode === 'tool' ? 'ANY' : choice.mode.toUpperCase();
  return { mode, allowedFunctionNames: only?.map((name) => names.toUpstream(name)) };
}
