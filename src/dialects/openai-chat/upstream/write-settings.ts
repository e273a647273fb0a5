// Writes the tools, the format, the thinking and the settings of a request for a chat upstream; custom tools become functions.

import type { RawValue } from '../../../kit/json/raw-json.ts';
import { effortsOf, openaiTraits } from '../../../vendors/openai.ts';
import type { Quirks } from '../../../vendors/quirks.ts';
import type { Target } from '../../translate/adapters.ts';
import type { Conversation, OutputFormat, ReasoningWish, SettingKind } from '../../translate/conversation.ts';
import { effortFor } from '../../translate/effort.ts';
import { SAMPLING, type Written, writeSettings } from '../../translate/openai-settings.ts';
import { describedSchema, schemaHint } from '../../translate/tools/format-tool.ts';
import { writeTools } from '../../translate/tools/openai-tools.ts';

export function writeChatTools(conversation: Conversation, quirks: Quirks) {
  const wrap = (fields: RawValue) => ({ type: 'function', function: fields });
  const written = writeTools(conversation, quirks, { wrap, notStrict: undefined });
  if (conversation.toolChoice?.mode === 'none') delete written.members.parallel_tool_calls;
  return written;
}

const CARRIED = new Set<SettingKind>([...SAMPLING, 'seed', 'verbosity', 'prompt_cache_key', 'user', 'service_tier']);
const MAX_STOPS = 4;

export function writeChatSettings({ settings }: Conversation, target: Target) {
  const mostStops = openaiTraits(target.model).takesStops ? MAX_STOPS : 0;
  return writeSettings(settings, target, { carried: CARRIED, userField: 'user', mostStops });
}

export function writeReasoning(wish: ReasoningWish | undefined, { quirks, model }: Target): Written {
  const none = { members: {}, dropped: [] };
  if (!wish) return none;
  const { takesEffort, alwaysThinks } = openaiTraits(model);
  const word = effortFor(wish, effortsOf(quirks, model));
  if (word === undefined) return none;
  // A model that never thinks needs no setting for that.
  if (!takesEffort) return { members: {}, dropped: wish.isOff && !alwaysThinks ? [] : [wish.name] };
  if (!quirks.takesEffort) return { members: {}, dropped: [wish.name] };
  return { members: { reasoning_effort: word }, dropped: [] };
}

interface WrittenFormat {
  members: Written['members'];
  /** Instructions, for an upstream without such a setting. */
  hints: string[];
}

export function writeFormat(format: OutputFormat | undefined, { takesSchema }: Quirks): WrittenFormat {
  if (!format) return { members: {}, hints: [] };
  const object = { response_format: { type: 'json_object' } };
  if (format.kind === 'json_object') return { members: object, hints: ['Answer with a JSON object.'] };
  const { name = 'output', description, schema, strict } = format;
  if (!takesSchema) return { members: object, hints: [schemaHint(describedSchema(format))] };
  return {
    members: { response_format: { type: 'json_schema', json_schema: { name, description, schema, strict } } },
    hints: [],
  };
}
