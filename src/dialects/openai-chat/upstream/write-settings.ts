// Writes the format, the thinking and the settings of a request for a chat upstream.

import type { RawValue } from '../../../kit/json/raw-json.ts';
import { effortsOf, openaiTraits } from '../../../vendors/openai.ts';
import type { Quirks } from '../../../vendors/quirks.ts';
import { PLAIN_TIERS } from '../../removals/priced-fields.ts';
import { isListedTier } from '../../removals/remove-fields.ts';
import type { Target } from '../../translate/adapters.ts';
import type { OutputFormat, ReasoningWish, Setting, SettingKind } from '../../translate/conversation.ts';
import { effortFor } from '../../translate/effort.ts';
import { requireOneAnswer } from '../../translate/one-answer.ts';
import { describedSchema } from '../../translate/read-format.ts';
import { splitStops } from '../../translate/stop-sequences.ts';
import { schemaHint } from '../../translate/tools/format-tool.ts';

interface Written {
  members: { [name: string]: RawValue | undefined };
  dropped: string[];
}

interface WrittenSettings extends Written {
  localStops: string[];
}

const MAX_STOPS = 4;
const SAMPLING: ReadonlySet<SettingKind> = new Set(['temperature', 'top_p', 'frequency_penalty', 'presence_penalty']);
/** Those that have the same name and meaning here. */
const CARRIED: ReadonlySet<SettingKind> = new Set([...SAMPLING, 'seed', 'verbosity', 'prompt_cache_key']);

export function writeSettings(settings: readonly Setting[], target: Target): WrittenSettings {
  const { quirks, model, hashUser, serviceTiers } = target;
  const written: WrittenSettings = { members: {}, dropped: [], localStops: [] };
  const traits = openaiTraits(model);

  function carry(setting: Setting): boolean {
    const { kind, value } = setting;
    if (kind === 'choices') {
      requireOneAnswer(setting);
      return true;
    }
    if (kind === 'stop') return takeStops(setting);
    if (quirks.refuses.includes(kind) || written.members[kind] !== undefined) return false;
    if (SAMPLING.has(kind) && !traits.takesSampling) return value === 1 && (kind === 'temperature' || kind === 'top_p');
    if (kind === 'user') {
      if (typeof value !== 'string') return false;
      written.members.user = hashUser(value);
      return true;
    }
    const isTier = kind === 'service_tier' && (PLAIN_TIERS.has(value) || isListedTier(value, serviceTiers));
    if (!CARRIED.has(kind) && !isTier) return false;
    written.members[kind] = value;
    return true;
  }

  function takeStops(setting: Setting): boolean {
    const { taken, local } = splitStops(setting, traits.takesStops ? MAX_STOPS : 0);
    if (taken.length > 0) written.members.stop = taken;
    written.localStops = local;
    return true;
  }

  for (const setting of settings) if (!carry(setting)) written.dropped.push(setting.name);
  return written;
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
