// Writes the tools, the format, the thinking and the settings of a request for a Responses upstream. It has no field for stop
// sequences, so the gateway matches these itself.

import { effortsOf, openaiTraits } from '../../../vendors/openai.ts';
import type { Target } from '../../translate/adapters.ts';
import type { Conversation, OutputFormat, ReasoningWish, SettingKind } from '../../translate/conversation.ts';
import { effortFor } from '../../translate/effort.ts';
import { type Written, writeSettings } from '../../translate/openai-settings.ts';
import { writeTools } from '../../translate/tools/openai-tools.ts';

export function writeResponseTools(conversation: Conversation, { quirks }: Target) {
  return writeTools(conversation, quirks, { wrap: (fields) => ({ type: 'function', ...fields }), notStrict: false });
}

const CARRIED = new Set<SettingKind>(['temperature', 'top_p', 'prompt_cache_key', 'service_tier', 'verbosity', 'user']);

/** `text`: those that are members of `text`. */
export function writeResponseSettings({ settings }: Conversation, target: Target) {
  const options = { carried: CARRIED, userField: 'safety_identifier', mostStops: 0 };
  const { members, ...written } = writeSettings(settings, target, options);
  const { verbosity, ...others } = members;
  return { ...written, members: others, text: verbosity === undefined ? {} : { verbosity } };
}

export function writeFormat(format: OutputFormat | undefined): Written['members'] {
  if (!format) return {};
  if (format.kind === 'json_object') return { format: { type: 'json_object' } };
  const { name = 'output', description, schema, strict } = format;
  return { format: { type: 'json_schema', name, description, schema, strict } };
}

/** Reasoning is requested encrypted, to be sent back. A summary is not requested: OpenAI refuses the call if the organization is
 * not verified. */
export function writeReasoning(wish: ReasoningWish | undefined, { quirks, model }: Target): Written {
  const { takesEffort, alwaysThinks } = openaiTraits(model);
  const word = wish && effortFor(wish, effortsOf(quirks, model));
  const include = ['reasoning.encrypted_content'];
  if (alwaysThinks) return { members: { include }, dropped: wish && word !== undefined ? [wish.name] : [] };
  if (!quirks.takesEffort || !takesEffort) return { members: {}, dropped: wish && !wish.isOff ? [wish.name] : [] };
  return { members: { include, reasoning: word === undefined ? undefined : { effort: word } }, dropped: [] };
}
