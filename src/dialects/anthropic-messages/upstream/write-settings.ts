// Writes settings that the model supports; others are reported as dropped. Stop sequences that it does not support are
// matched by the gateway.

import type { JsonObject } from '../../../kit/json/json.ts';
import type { RawValue } from '../../../kit/json/raw-json.ts';
import { MIN_THINKING_TOKENS } from '../../../kit/tokens.ts';
import type { ClaudeTraits } from '../../../vendors/claude.ts';
import type { UpstreamFields } from '../../dialect.ts';
import { requireOneAnswer } from '../../translate/check-settings.ts';
import type { Conversation, RequestedReasoning, Setting } from '../../translate/conversation.ts';
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

/** The lowest values that are allowed with thinking; of `top_k` none is. */
const LEAST_THINKING = { temperature: 1, top_p: 0.95, top_k: undefined };

export function writeSettings(
  settings: readonly Setting[],
  { traits, isThinking, isToolsArguments, hashUser }: SettingOptions,
) {
  const members: Record<string, RawValue> = {};
  const dropped: string[] = [];
  const localStops: string[] = [];

  /** False if the model does not support all of it. */
  function carry(setting: Setting): boolean {
    const { kind, value } = setting;
    switch (kind) {
      case 'temperature':
      case 'top_p':
      case 'top_k':
        return traits.takesSampling && typeof value === 'number' && carrySampling(kind, value);
      case 'stop': {
        // The vendor refuses sequences of white space alone.
        const { taken, local } = splitStops(setting, Number.POSITIVE_INFINITY, (stop) => stop.trim() !== '');
        if (taken.length > 0) members.stop_sequences = taken;
        if (!isToolsArguments) localStops.push(...local);
        return !isToolsArguments || local.length === 0;
      }
      case 'user':
        if (typeof value !== 'string' || members.metadata !== undefined) return false;
        members.metadata = { user_id: hashUser(value) };
        return true;
      case 'choices':
        requireOneAnswer(setting);
        return true;
      case 'prompt_cache_key':
        // Already used to choose the channel and the cache marks.
        return typeof value === 'string';
      case 'caching':
        return isExpressedByMarks(value);
      default:
        return false;
    }
  }

  function carrySampling(kind: keyof typeof LEAST_THINKING, value: number): boolean {
    const sent = kind === 'temperature' ? Math.min(value, 1) : value;
    // Newer models refuse `top_p` beside a temperature.
    const isExcluded = kind === 'top_p' && members.temperature !== undefined;
    const least = LEAST_THINKING[kind];
    if (isExcluded || (isThinking && (least === undefined || sent < least))) return false;
    members[kind] = sent;
    return true;
  }

  for (const setting of settings.toSorted((a, b) => rank(a) - rank(b))) if (!carry(setting)) dropped.push(setting.name);
  return { members, dropped, localStops };
}

/** Temperature and top_p exclude each other: clients mean the temperature. */
function rank({ kind }: Setting): number {
  return kind === 'temperature' ? 0 : 1;
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
export function wantsThoughts(requested: RequestedReasoning | undefined): boolean {
  return requested !== undefined && !requested.isOff && !OFF_EFFORTS.has(requested.effort ?? '');
}

/** `droppedAt`: fields that are lost if the wallet leaves no more than this. */
export function planReasoning(
  { reasoning: requested, showsThoughts }: Pick<Conversation, 'reasoning' | 'showsThoughts'>,
  traits: ClaudeTraits,
  obstacles: ReasoningObstacles,
) {
  const off = { isOn: false, dropped: [], droppedAt: () => [], members: () => thinkingOff(traits) };
  if (!requested) {
    const mustStop = obstacles.isForced && traits.thinksByDefault && traits.thinkingOff === 'disabled';
    return mustStop ? off : { ...off, members: (): ReasoningMembers => ({}) };
  }
  if (!wantsThoughts(requested)) return off;
  const hasNoBudget =
    traits.thinking === 'budget' && (obstacles.lacksThoughts || !fitsThinking(obstacles.maxOutputTokens));
  if (traits.thinking === 'none' || obstacles.isForced || obstacles.isPrefilled || hasNoBudget) {
    return { ...off, dropped: [requested.name] };
  }
  if (traits.thinking === 'adaptive') {
    return { ...off, isOn: true, members: () => adaptive(requested, showsThoughts, traits) };
  }
  const droppedAt = (maxOutputTokens: number) => (fitsThinking(maxOutputTokens) ? [] : [requested.name]);
  return { isOn: true, dropped: [], droppedAt, members: (fields: UpstreamFields) => byBudget(requested, fields) };
}

/** The budget is part of the output bound. If the bound is below the smallest budget, thinking is off. */
function fitsThinking(maxOutputTokens: number | undefined): boolean {
  return maxOutputTokens === undefined || maxOutputTokens > MIN_THINKING_TOKENS;
}

export function thinkingOff({ thinking, thinkingOff: how }: ClaudeTraits): ReasoningMembers {
  if (thinking === 'none') return {};
  return how === 'low_effort' ? { effort: 'low' } : { thinking: { type: how } };
}

function adaptive(requested: RequestedReasoning, showsThoughts: boolean, traits: ClaudeTraits): ReasoningMembers {
  const { efforts, hidesThoughts } = traits;
  const word = effortFor(requested, efforts);
  const display = showsThoughts && hidesThoughts ? { display: 'summarized' } : {};
  return { thinking: { type: 'adaptive', ...display }, ...(word === undefined ? {} : { effort: word }) };
}

function byBudget(requested: RequestedReasoning, fields: UpstreamFields): ReasoningMembers {
  if (!fitsThinking(fields.maxOutputTokens)) return { thinking: { type: 'disabled' } };
  const budget = Math.max(MIN_THINKING_TOKENS, boundedBudget(requested, fields));
  return { thinking: { type: 'enabled', budget_tokens: budget } };
}
