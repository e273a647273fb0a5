// Calls as the client knows them: its own names, free text for its custom tools, and an answer where we made the model call
// a tool only to get its format right.

import { isObject, tryParseJson } from '../../../kit/json/json.ts';
import type { AnswerEvent } from '../answer-events.ts';
import type { ToolNames } from './tool-names.ts';

/** The member that contains the free text of a custom tool. */
export const CUSTOM_INPUT = 'input';

interface RestoreOptions {
  names: ToolNames;
  /** The tool whose arguments are the answer, if there is one. */
  formatTool: string | undefined;
}

export function createToolRestorer({ names, formatTool }: RestoreOptions): (event: AnswerEvent) => AnswerEvent[] {
  /** The JSON of a custom tool's call, which is no text before it is whole. */
  let custom: string | undefined;
  let hasCalls = false;

  return (event) => {
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
        return text === '' ? [event] : [{ type: 'delta', text }, event];
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
