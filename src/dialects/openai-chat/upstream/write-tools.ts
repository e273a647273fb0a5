// Writes the tools and the tool choice of a request for a chat upstream; custom tools become functions.

import type { RawValue } from '../../../kit/json/raw-json.ts';
import type { Quirks } from '../../../vendors/quirks.ts';
import type { Conversation, Tool } from '../../translate/conversation.ts';
import { allowedTools } from '../../translate/tools/allowed-tools.ts';
import { createOpenaiNames } from '../../translate/tools/openai-tools.ts';
import { objectSchema } from '../../translate/tools/tool-arguments.ts';
import type { ToolNames } from '../../translate/tools/tool-names.ts';

interface WrittenTools {
  members: { [name: string]: RawValue | undefined };
  dropped: string[];
  names: ToolNames;
}

export function writeTools(conversation: Conversation, quirks: Quirks): WrittenTools {
  const { tools, toolChoice, parallelTools, parallelToolsName } = conversation;
  const names = createOpenaiNames(tools);
  if (tools.length === 0) return { members: {}, dropped: [], names };
  const isGiven = parallelTools !== undefined && toolChoice?.mode !== 'none';
  return {
    members: {
      tools: allowedTools(conversation).map((tool) => writeTool(tool, names)),
      tool_choice: writeChoice(toolChoice, names),
      parallel_tool_calls: isGiven && quirks.takesParallelFlag ? parallelTools : undefined,
    },
    dropped: parallelToolsName && parallelTools === false && !quirks.takesParallelFlag ? [parallelToolsName] : [],
    names,
  };
}

function writeTool(tool: Tool, names: ToolNames): RawValue {
  return {
    type: 'function',
    function: {
      name: names.toUpstream(tool.name),
      description: tool.description,
      parameters: objectSchema(tool),
      strict: tool.strict === true ? true : undefined,
    },
  };
}

function writeChoice(choice: Conversation['toolChoice'], names: ToolNames): RawValue | undefined {
  if (!choice) return undefined;
  if (choice.mode === 'tool') return { type: 'function', function: { name: names.toUpstream(choice.name) } };
  return choice.mode === 'any' ? 'required' : choice.mode;
}
