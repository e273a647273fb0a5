// Tools and their arguments for upstreams that know only JSON objects: other arguments are wrapped in one, and a tool that takes
// free text becomes a tool with one string argument. The answer is converted back.

import { isObject, type Json, type JsonObject, tryParseJson } from '../../../kit/json/json.ts';
import { RawJson, type RawValue } from '../../../kit/json/raw-json.ts';
import type { WrittenRequest } from '../adapters.ts';
import { type AnswerEvent, deltaOf } from '../answer-events.ts';
import type { Tool, ToolCallPart } from '../conversation.ts';

/** The member that contains the free text of a custom tool. */
const CUSTOM_INPUT = 'input';

/** The JSON text of an object. The text of an object stays unchanged. */
export function objectArguments({ arguments: text, isCustom }: Pick<ToolCallPart, 'arguments' | 'isCustom'>): string {
  if (isCustom) return JSON.stringify({ [CUSTOM_INPUT]: text });
  if (text.trim() === '') return '{}';
  const value = tryParseJson(text);
  if (value === undefined) return JSON.stringify({ _raw: text });
  return isObject(value) ? text : `{"_value":${text}}`;
}

const NO_PARAMETERS: JsonObject = { type: 'object', properties: {} };

export function objectSchema({ schema, isCustom }: Pick<Tool, 'schema' | 'isCustom'>): Json {
  if (!isCustom) return schema ?? NO_PARAMETERS;
  return { type: 'object', properties: { [CUSTOM_INPUT]: { type: 'string' } }, required: [CUSTOM_INPUT] };
}

/**
 * Calls under the client's own names, with free text for its custom tools, and an answer where we made the model call a tool
 * only to get its format right.
 */
export function createToolRestorer({ names, formatTool }: Pick<WrittenRequest, 'names' | 'formatTool'>) {
  /** The JSON of a custom tool's call, which is no text before it is whole. */
  let custom: string | undefined;
  let hasCalls = false;

  return (event: AnswerEvent): AnswerEvent[] => {
    switch (event.type) {
      case 'open': {
        const { block } = event;
        if (block.kind !== 'tool') return [event];
        if (block.name === formatTool) return [{ type: 'open', block: { kind: 'text' } }];
        hasCalls = true;
        const tool = names.find(block.name);
        custom = tool?.isCustom ? '' : undefined;
        return [{ type: 'open', block: tool ? { ...block, name: tool.name } : block }];
      }
      case 'delta':
        if (custom === undefined) return [event];
        custom += event.text;
        return [];
      case 'close': {
        if (custom === undefined) return [event];
        const text = freeText(custom);
        custom = undefined;
        return [...deltaOf(text), event];
      }
      case 'stop':
        return [formatTool !== undefined && !hasCalls && event.reason === 'tool' ? { ...event, reason: 'end' } : event];
      default:
        return [event];
    }
  };
}

/** The model's input for a custom tool: the text inside the JSON, or whatever it wrote instead. */
function freeText(json: string): string {
  const value = tryParseJson(json);
  return isObject(value) && typeof value[CUSTOM_INPUT] === 'string' ? value[CUSTOM_INPUT] : json;
}

/** The arguments of a model's call, for a client that takes only objects: any other text is put into one. */
export function shownArguments(text: string): RawValue {
  if (text.trim() === '') return {};
  return isObject(tryParseJson(text)) ? new RawJson(text) : { _raw: text };
}
