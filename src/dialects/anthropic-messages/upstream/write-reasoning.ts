// The thinking settings of a model, in the fields of its version. Thinking is not allowed with a forced call or a begun
// answer, and a model with a thinking budget needs its own thoughts back to continue after a call. Models that cannot stop
// thinking are never forced (write-tools.ts).

import type { JsonObject } from '../../../kit/json/json.ts';
import { MIN_THINKING_TOKENS } from '../../../kit/tokens.ts';
import type { ClaudeTraits } from '../../../vendors/claude.ts';
import type { UpstreamFields } from '../../dialect.ts';
import type { Conversation, ReasoningWish } from '../../translate/conversation.ts';
import { boundedBudget, effortFor } from '../../translate/effort.ts';

interface ReasoningObstacles {
  isForced: boolean;
  isPrefilled: boolean;
  /** The thoughts before the calls that it continues from are missing. */
  lacksThoughts: boolean;
  /** The client's output bound, which includes the thinking budget. */
  maxOutputTokens: number | undefined;
}

interface ReasoningPlan {
  isOn: boolean;
  dropped: readonly string[];
  /** Fields that are lost if the wallet leaves no more than this. */
  droppedAt(maxOutputTokens: number): readonly string[];
  /** `thinking`, and `effort` for `output_config`. */
  members(fields: UpstreamFields): { thinking?: JsonObject; effort?: string };
}

const OFF_EFFORTS = new Set(['none', 'minimal']);

/** Whether the client requests thoughts; by default it does not. */
export function wantsThoughts(wish: ReasoningWish | undefined): boolean {
  return wish !== undefined && !wish.isOff && !OFF_EFFORTS.has(wish.effort ?? '');
}

export function planReasoning(
  { reasoning: wish, showsThoughts }: Pick<Conversation, 'reasoning' | 'showsThoughts'>,
  traits: ClaudeTraits,
  obstacles: ReasoningObstacles,
): ReasoningPlan {
  const nothing = () => [];
  const off = { isOn: false, droppedAt: nothing, members: () => thinkingOff(traits) };
  if (!wish) {
    const mustStop = obstacles.isForced && traits.thinksByDefault && traits.thinkingOff === 'disabled';
    return { ...off, dropped: [], ...(mustStop ? {} : { members: () => ({}) }) };
  }
  if (!wantsThoughts(wish)) return { ...off, dropped: [] };
  const hasNoBudget =
    traits.thinking === 'budget' && (obstacles.lacksThoughts || !fitsThinking(obstacles.maxOutputTokens));
  if (traits.thinking === 'none' || obstacles.isForced || obstacles.isPrefilled || hasNoBudget) {
    return { ...off, dropped: [wish.name] };
  }
  if (traits.thinking === 'adaptive') {
    return { isOn: true, dropped: [], droppedAt: nothing, members: () => adaptive(wish, showsThoughts, traits) };
  }
  const droppedAt = (maxOutputTokens: number) => (fitsThinking(maxOutputTokens) ? [] : [wish.name]);
  return { isOn: true, dropped: [], droppedAt, members: (fields) => byBudget(wish, fields) };
}

/** The budget is part of the output bound. If the bound is below the smallest budget, thinking is off. */
function fitsThinking(maxOutputTokens: number | undefined): boolean {
  return maxOutputTokens === undefined || maxOutputTokens > MIN_THINKING_TOKENS;
}

export function thinkingOff({ thinking, thinkingOff: how }: ClaudeTraits): { thinking?: JsonObject; effort?: string } {
  if (thinking === 'none') return {};
  return how === 'low_effort' ? { effort: 'low' } : { thinking: { type: how } };
}

function adaptive(
  wish: ReasoningWish,
  showsThoughts: boolean,
  { efforts, hidesThoughts }: ClaudeTraits,
): { thinking: JsonObject; effort?: string } {
  const word = effortFor(wish, efforts);
  const display = showsThoughts && hidesThoughts ? { display: 'summarized' } : {};
  return { thinking: { type: 'adaptive', ...display }, ...(word === undefined ? {} : { effort: word }) };
}

function byBudget(wish: ReasoningWish, fields: UpstreamFields): { thinking: JsonObject } {
  if (!fitsThinking(fields.maxOutputTokens)) return { thinking: { type: 'disabled' } };
  const budget = Math.max(MIN_THINKING_TOKENS, boundedBudget(wish, fields));
  return { thinking: { type: 'enabled', budget_tokens: budget } };
}
