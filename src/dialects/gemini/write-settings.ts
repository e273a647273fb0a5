// Writes settings that the model supports; others are reported as dropped.

import type { JsonObject } from '../../kit/json/json.ts';
import type { GeminiTraits, Thinking } from '../../vendors/gemini.ts';
import { THINKING_BUDGET, type UpstreamFields } from '../dialect.ts';
import { requireOneAnswer } from '../translate/check-settings.ts';
import type { Conversation, Setting, Tool } from '../translate/conversation.ts';
import { boundedBudget, effortFor } from '../translate/effort.ts';
import { splitStops } from '../translate/stop-sequences.ts';
import { createFormatTool, describedSchema, JSON_HINT } from '../translate/tools/format-tool.ts';
import type { ToolNames } from '../translate/tools/tool-names.ts';
import { writeSchema } from './schema.ts';

interface WrittenSettings {
  /** For `generationConfig`. */
  config: JsonObject;
  dropped: string[];
  /** Stop sequences beyond those that the vendor takes. */
  localStops: string[];
}

const MAX_STOPS = 5;
const MAX_SEED = 2 ** 31;

export function writeSettings(settings: readonly Setting[], traits: GeminiTraits): WrittenSettings {
  const written: WrittenSettings = { config: {}, dropped: [], localStops: [] };
  for (const setting of settings) {
    if (setting.kind === 'stop') takeStops(setting, written);
    else if (setting.kind === 'choices') requireOneAnswer(setting);
    else {
      const member = memberOf(setting, traits);
      if (member === undefined) written.dropped.push(setting.name);
      else Object.assign(written.config, member);
    }
  }
  return written;
}

/** Undefined if the model does not support it. */
function memberOf({ kind, value }: Setting, { takesPenalties }: GeminiTraits): JsonObject | undefined {
  if (typeof value !== 'number') return undefined;
  switch (kind) {
    case 'temperature':
      return { temperature: value };
    case 'top_p':
      return { topP: value };
    case 'top_k':
      return { topK: value };
    case 'seed':
      return Number.isInteger(value) && Math.abs(value) < MAX_SEED ? { seed: value } : undefined;
    case 'frequency_penalty':
      return takesPenalties ? { frequencyPenalty: value } : undefined;
    case 'presence_penalty':
      return takesPenalties ? { presencePenalty: value } : undefined;
    default:
      return undefined;
  }
}

function takeStops(setting: Setting, written: WrittenSettings): void {
  const { taken, local } = splitStops(setting, MAX_STOPS);
  if (taken.length > 0) written.config.stopSequences = taken;
  written.localStops = local;
}

// How much a model thinks: a level, a bound in tokens, or no setting, depending on its generation.
export function planThinking(
  { reasoning: wish, showsThoughts }: Pick<Conversation, 'reasoning' | 'showsThoughts'>,
  thinking: Thinking,
): { dropped: readonly string[]; config(fields: UpstreamFields): JsonObject | undefined } {
  if (!wish) {
    const shown = showsThoughts && thinking.by !== 'nothing' ? { includeThoughts: true } : undefined;
    return { dropped: [], config: () => shown };
  }
  const isOff = wish.isOff || wish.effort === 'none';
  if (thinking.by === 'nothing') return { dropped: isOff ? [] : [wish.name], config: () => undefined };
  const shown = isOff ? {} : { includeThoughts: true };
  if (thinking.by === 'level') {
    const level = effortFor(wish, thinking.levels);
    return { dropped: [], config: () => ({ ...(level === undefined ? {} : { thinkingLevel: level }), ...shown }) };
  }
  const { least, most, canStop } = thinking;
  const off = canStop ? 0 : least;
  const bounded = (fields: UpstreamFields) => Math.min(most, Math.max(least, boundedBudget(wish, fields)));
  const isLowered = !isOff && (wish.budget ?? 0) > most;
  return {
    dropped: isLowered ? [THINKING_BUDGET] : [],
    config: (fields) => ({ thinkingBudget: isOff ? off : bounded(fields), ...shown }),
  };
}

// The form that a client wants its answer in. Older models have it only without tools: with them, the answer is the call of
// one more tool.
const JSON_TYPE = 'application/json';

export function planFormat(
  { format, toolChoice }: Pick<Conversation, 'format' | 'toolChoice'>,
  // `isAlone`: there are no tools.
  { isAlone, takesFormatWithTools, names }: { isAlone: boolean; takesFormatWithTools: boolean; names: ToolNames },
): { config: JsonObject; tool?: Tool; hint?: string } {
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
