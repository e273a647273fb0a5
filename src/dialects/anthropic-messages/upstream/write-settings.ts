// Writes settings that the model supports; others are reported as dropped. Stop sequences that it does not support are
// matched by the gateway.

import type { Json, JsonObject } from '../../../kit/json/json.ts';
import type { RawValue } from '../../../kit/json/raw-json.ts';
import { MIN_THINKING_TOKENS } from '../../../kit/tokens.ts';
import type { ClaudeTraits } from '../../../vendors/claude.ts';
import type { UpstreamFields } from '../../dialect.ts';
import { requireOneAnswer } from '../../translate/check-settings.ts';
import type { Conversation, ReasoningWish, Setting, SettingKind } from '../../translate/conversation.ts';
import { boundedBudget, effortFor } from '../../translate/effort.ts';
import { isExpressedByMarks } from '../../translate/read-cache-mark.ts';
import { splitStops } from '../../translate/stop-sequences.ts';

interface SettingOptions {
  traits: ClaudeTraits;
  isThinking: boolean;
  /** The answer is the arguments of a tool, in which line breaks are only formatting. */
  isToolsArguments: boolean;
  hashUser(id: string): string;
}

export function writeSettings(settings: readonly Setting[], options: SettingOptions) {
  const members: Record<string, RawValue> = {};
  const dropped: string[] = [];
  const localStops: string[] = [];
  for (const setting of settings.toSorted((a, b) => rank(a) - rank(b))) {
    const written = writeSetting(setting, options, new Set(Object.keys(members)));
    Object.assign(members, written?.members);
    localStops.push(...(written?.localStops ?? []));
    if (!written || written.isPart) dropped.push(setting.name);
  }
  return { members, dropped, localStops };
}

/** Temperature and top_p exclude each other: clients mean the temperature. */
function rank({ kind }: Setting): number {
  return kind === 'temperature' ? 0 : 1;
}

interface Written {
  members: Record<string, RawValue>;
  localStops?: string[];
  /** Some of it is left out. */
  isPart?: boolean;
}

/** Undefined if the model does not support it. */
function writeSetting(setting: Setting, options: SettingOptions, has: ReadonlySet<string>): Written | undefined {
  const { kind, value } = setting;
  switch (kind) {
    case 'temperature':
    case 'top_p':
    case 'top_k':
      return writeSampling(kind, value, options, has);
    case 'stop':
      return writeStops(setting, options);
    case 'user':
      if (typeof value !== 'string' || has.has('metadata')) return undefined;
      return { members: { metadata: { user_id: options.hashUser(value) } } };
    case 'choices':
      requireOneAnswer(setting);
      return { members: {} };
    case 'prompt_cache_key':
      // Already used to choose the channel and the cache marks.
      return typeof value === 'string' ? { members: {} } : undefined;
    case 'caching':
      return isExpressedByMarks(value) ? { members: {} } : undefined;
    default:
      return undefined;
  }
}

/** The lowest `top_p` allowed with thinking. */
const THINKING_TOP_P = 0.95;

function writeSampling(
  kind: SettingKind,
  value: Json,
  { traits, isThinking }: SettingOptions,
  has: ReadonlySet<string>,
): Written | undefined {
  if (!traits.takesSampling || typeof value !== 'number') return undefined;
  if (kind === 'temperature') {
    const temperature = Math.min(value, 1);
    return isThinking && temperature < 1 ? undefined : { members: { temperature } };
  }
  if (kind === 'top_k') return isThinking ? undefined : { members: { top_k: value } };
  // Newer models refuse it beside a temperature.
  if (has.has('temperature') || (isThinking && value < THINKING_TOP_P)) return undefined;
  return { members: { top_p: value } };
}

/** The vendor refuses sequences of white space alone. */
function writeStops(setting: Setting, { isToolsArguments }: SettingOptions): Written {
  const { taken, local } = splitStops(setting, Number.POSITIVE_INFINITY, (stop) => stop.trim() !== '');
  const members: Written['members'] = taken.length > 0 ? { stop_sequences: taken } : {};
  return isToolsArguments ? { members, isPart: local.length > 0 } : { members, localStops: local };
}

// The thinking settings of a model, in the fields of its version. Thinking is not allowed with a forced call or a begun
// answer, and a model with a thinking budget needs its own thoughts back to continue after a call. Models that cannot stop
// thinking are never forced (write-tools.ts).
interface ReasoningObstacles {
  isForced: boolean;
  isPrefilled: boolean;
  /** The thoughts before the calls that it continues from are missing. */
  lacksThoughts: boolean;
  /** The client's output bound, which includes the thinking budget. */
  maxOutputTokens: number | undefined;
}

/** `effort`: for `output_config`. */
type ReasoningMembers = { thinking?: JsonObject; effort?: string };

const OFF_EFFORTS = new Set(['none', 'minimal']);

/** Whether the client requests thoughts; by default it does not. */
export function wantsThoughts(wish: ReasoningWish | undefined): boolean {
  return wish !== undefined && !wish.isOff && !OFF_EFFORTS.has(wish.effort ?? '');
}

/** `droppedAt`: fields that are lost if the wallet leaves no more than this. */
export function planReasoning(
  { reasoning: wish, showsThoughts }: Pick<Conversation, 'reasoning' | 'showsThoughts'>,
  traits: ClaudeTraits,
  obstacles: ReasoningObstacles,
) {
  const off = { isOn: false, dropped: [], droppedAt: () => [], members: () => thinkingOff(traits) };
  if (!wish) {
    const mustStop = obstacles.isForced && traits.thinksByDefault && traits.thinkingOff === 'disabled';
    return mustStop ? off : { ...off, members: (): ReasoningMembers => ({}) };
  }
  if (!wantsThoughts(wish)) return off;
  const hasNoBudget =
    traits.thinking === 'budget' && (obstacles.lacksThoughts || !fitsThinking(obstacles.maxOutputTokens));
  if (traits.thinking === 'none' || obstacles.isForced || obstacles.isPrefilled || hasNoBudget) {
    return { ...off, dropped: [wish.name] };
  }
  if (traits.thinking === 'adaptive') {
    return { ...off, isOn: true, members: () => adaptive(wish, showsThoughts, traits) };
  }
  const droppedAt = (maxOutputTokens: number) => (fitsThinking(maxOutputTokens) ? [] : [wish.name]);
  return { isOn: true, dropped: [], droppedAt, members: (fields: UpstreamFields) => byBudget(wish, fields) };
}

/** The budget is part of the output bound. If the bound is below the smallest budget, thinking is off. */
function fitsThinking(maxOutputTokens: number | undefined): boolean {
  return maxOutputTokens === undefined || maxOutputTokens > MIN_THINKING_TOKENS;
}

export function thinkingOff({ thinking, thinkingOff: how }: ClaudeTraits): ReasoningMembers {
  if (thinking === 'none') return {};
  return how === 'low_effort' ? { effort: 'low' } : { thinking: { type: how } };
}

function adaptive(wish: ReasoningWish, showsThoughts: boolean, traits: ClaudeTraits): ReasoningMembers {
  const { efforts, hidesThoughts } = traits;
  const word = effortFor(wish, efforts);
  const display = showsThoughts && hidesThoughts ? { display: 'summarized' } : {};
  return { thinking: { type: 'adaptive', ...display }, ...(word === undefined ? {} : { effort: word }) };
}

function byBudget(wish: ReasoningWish, fields: UpstreamFields): ReasoningMembers {
  if (!fitsThinking(fields.maxOutputTokens)) return { thinking: { type: 'disabled' } };
  const budget = Math.max(MIN_THINKING_TOKENS, boundedBudget(wish, fields));
  return { thinking: { type: 'enabled', budget_tokens: budget } };
}
