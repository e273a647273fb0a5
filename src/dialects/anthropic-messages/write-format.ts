// The form that a client wants its answer in: by the vendor's own means where the model has them, else as the arguments of
// a tool that it must call.

import type { JsonObject } from '../../kit/json.ts';
import type { Conversation, TextPart, Tool } from '../translate/conversation.ts';
import { createFormatTool, JSON_HINT } from '../translate/format-tool.ts';
import type { ToolNames } from '../translate/tool-names.ts';
import { supportedSchema } from './supported-schema.ts';
import { isForced } from './write-tools.ts';

export interface FormatPlan {
  /** For `output_config`. */
  config: JsonObject;
  tool?: Tool | undefined;
  /** What the model is told instead. */
  hints: TextPart[];
}

const NO_FORMAT: FormatPlan = { config: {}, hints: [] };

export function planFormat(
  { format, tools, toolChoice }: Conversation,
  { takesFormat, names }: { takesFormat: boolean; names: ToolNames },
): FormatPlan {
  if (!format) return NO_FORMAT;
  if (format.kind === 'json_object') return { ...NO_FORMAT, hints: [{ type: 'text', text: JSON_HINT, at: 'system' }] };
  if (takesFormat) {
    return { ...NO_FORMAT, config: { format: { type: 'json_schema', schema: supportedSchema(format.schema) } } };
  }
  // The client wants a call of its own tools, not an answer.
  if (tools.length > 0 && isForced(toolChoice)) return NO_FORMAT;
  return { ...NO_FORMAT, tool: createFormatTool(format.schema, names) };
}
