// Writes settings that the model supports; others are reported as dropped.

import type { JsonObject } from '../../kit/json/json.ts';
import type { GeminiTraits, Thinking } from '../../vendors/gemini.ts';
import { THINKING_BUDGET, type UpstreamFields } from '../dialect.ts';
import { requireOneAnswer } from '../translate/check-settings.ts';
import type { Conversation, Setting, SettingKind, Tool } from '../translate/conversation.ts';
import { boundedBudget, effortFor } from '../translate/effort.ts';
import { splitStops } from '../translate/stop-sequences.ts';
import { createFormatTool, describedSchema, JSON_HINT } from '../translate/tools/format-tool.ts';
import type { ToolNames } from '../translate/tools/tool-names.ts';
import { camelName } from './member.ts';
import { writeSchema } from './schema.ts';

/** Numbers that have the same name there. */
const TAKEN: ReadonlySet<string> = new Set([
  ...['temperature', 'top_p', 'top_k', 'frequency_penalty', 'presence_penalty'],
]);
const MAX_STOPS = 5;
const MAX_SEED = 2 ** 31;

/** `config`: for `generationConfig`. `localStops`: those beyond what the vendor takes. */
export function writeSettings(settings: readonly Setting[], traits: GeminiTraits) {
  const config: JsonObject = {};
  const dropped: string[] = [];
  let localStops: string[] = [];
  for (const setting of settings) {
    const { kind, name, value } = setting;
    if (kind === 'choices') requireOneAnswer(setting);
    else if (kind === 'stop') {
      const { taken, local } = splitStops(setting, MAX_STOPS);
      if (taken.length > 0) config.stopSequences = taken;
      localStops = local;
    } else if (typeof value === 'number' && isTaken(kind, value, traits)) config[camelName(kind)] = value;
    else dropped.push(name);
  }
  return { config, dropped, localStops };
}

function isTaken(kind: SettingKind, value: number, { takesPenalties }: GeminiTraits): boolean {
  if (kind === 'seed') return Number.isInteger(value) && Math.abs(value) < MAX_SEED;
  return TAKEN.has(kind) && (takesPenalties || !kind.endsWith('_penalty'));
}

// How much a model thinks: a level, a bound in tokens, or no setting, depending on its generation.
export function planThinking(
  { reasoning: requested, showsThoughts }: Pick<Conversation, 'reasoning' | 'showsThoughts'>,
  thinking: Thinking,
): { dropped: readonly string[]; config(fields: UpstreamFields): JsonObject | undefined } {
  if (!requested) {
    const shown = showsThoughts && thinking.by !== 'nothing' ? { includeThoughts: true } : undefined;
    return { dropped: [], config: () => shown };
  }
  const isOff = requested.isOff || requested.effort === 'none';
  if (thinking.by === 'nothing') return { dropped: isOff ? [] : [requested.name], config: () => undefined };
  const shown = isOff ? {} : { includeThoughts: true };
  if (thinking.by === 'level') {
    const level = effortFor(requested, thinking.levels);
    return { dropped: [], config: () => ({ ...(level === undefined ? {} : { thinkingLevel: level }), ...shown }) };
  }
  const { least, most, canStop } = thinking;
  const off = canStop ? 0 : least;
  const bounded = (fields: UpstreamFields) => Math.min(most, Math.max(least, boundedBudget(requested, fields)));
  const isLowered = !isOff && (requested.budget ?? 0) > most;
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
