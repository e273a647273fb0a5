// The form that a client wants its answer in. Older models have it only without tools: with them, the answer is the call of
// one more tool.

import type { JsonObject } from '../../kit/json/json.ts';
import type { Conversation, Tool } from '../translate/conversation.ts';
import { describedSchema } from '../translate/read-format.ts';
import { createFormatTool, JSON_HINT } from '../translate/tools/format-tool.ts';
import type { ToolNames } from '../translate/tools/tool-names.ts';
import { writeSchema } from './schema.ts';

export interface FormatPlan {
  /** For `generationConfig`. */
  config: JsonObject;
  tool?: Tool | undefined;
  /** What the model is told instead. */
  hint?: string | undefined;
}

export interface FormatOptions {
  /** There are no tools. */
  isAlone: boolean;
  takesFormatWithTools: boolean;
  names: ToolNames;
}

const JSON_TYPE = 'application/json';

export function planFormat(
  { format, toolChoice }: Pick<Conversation, 'format' | 'toolChoice'>,
  { isAlone, takesFormatWithTools, names }: FormatOptions,
): FormatPlan {
  if (!format) return { config: {} };
  if (isAlone || takesFormatWithTools) {
    const schema = format.kind === 'json_schema' ? { responseJsonSchema: writeSchema(describedSchema(format)) } : {};
    return { config: { responseMimeType: JSON_TYPE, ...schema } };
  }
  // The client wants a call of its own tools, not an answer.
  if (toolChoice?.mode === 'any' || toolChoice?.mode === 'tool') return { config: {} };
  if (format.kind === 'json_object') return { config: {}, hint: JSON_HINT };
  return { config: {}, tool: createFormatTool(describedSchema(format), names) };
}
