// The fields of an upstream request that the gateway sets: the upstream's name of the model, and the output bound.

import type { Model } from '../catalog/catalog.ts';
import { BETA_HEADER, withoutLostBetas } from '../dialects/anthropic-messages/betas.ts';
import type { RelayRequest, UpstreamFields } from '../dialects/dialect.ts';
import { refuseField } from '../dialects/fields.ts';
import { sealsReasoning } from '../dialects/openai-responses/sealed-reasoning.ts';
import { ANSWER_LIMITS } from '../kit/json/json.ts';
import { lowerThinkingBudget } from '../ledger/thinking-budget.ts';
import { claudeHostOf } from '../vendors/claude-hosts.ts';
import { hasVerboseTranscripts, limitFieldOf } from '../vendors/openai.ts';
import { qwenThinking } from '../vendors/qwen.ts';
import type { Admission } from './call.ts';
import type { Step } from './plan.ts';

export function upstreamFields(
  { call, maxOutputTokens: most }: Admission,
  { model, route, withoutSealed }: Step,
  prefilledTokens: number | undefined,
): UpstreamFields {
  const { kind, quirks } = route.channel;
  const host = claudeHostOf(kind);
  const bound = Math.min(most, model.maxOutputTokens, unnamedBound(model, call.request));
  const maxOutputTokens = outputBound(bound, prefilledTokens);
  return {
    model: route.model,
    maxOutputTokens,
    // A fallback may have a lower bound than the requested model.
    thinkingBudget: lowerThinkingBudget(call.request, maxOutputTokens, call.model.maxOutputTokens),
    limitField: limitFieldOf(quirks, route.model),
    thinksBeside: quirks.mayThinkBeside ? qwenThinking(route.model) : undefined,
    takesUsageOption: quirks.takesUsageOption,
    verboseTranscripts: hasVerboseTranscripts(quirks, route.model),
    thoughtsField: quirks.needsThoughts ? quirks.reasoningField : undefined,
    withoutSealed,
    sealsReasoning: sealsReasoning(quirks, route.model),
    claudeHost: host && { name: host, betas: withoutLostBetas(call.headers, model.contextTokens)[BETA_HEADER] },
  };
}

/** For a client that set no bound. */
function unnamedBound(model: Model, request: RelayRequest): number {
  if (request.maxOutputTokens !== undefined) return model.maxOutputTokens;
  return Math.min(contextLeft(model, request), readableTokens(request));
}

/**
 * The part of the context left by the prompt. Some upstreams refuse a request whose prompt and output bound together exceed it. Their
 * count of the prompt may be a tenth higher than ours. If little is left, the bound stays, because an answer of a fallback is
 * worth more than a few tokens.
 */
function contextLeft({ contextTokens, maxOutputTokens }: Model, { input }: RelayRequest): number {
  if (input.upper + maxOutputTokens <= contextTokens) return maxOutputTokens;
  const left = contextTokens - Math.ceil(input.estimate * 1.1);
  return left < Math.min(ENOUGH_OUTPUT, maxOutputTokens / 2) ? maxOutputTokens : left;
}

/** Prefilled tokens are part of the bound; a continuation gets at least one token. */
function outputBound(tokens: number, prefilled: number | undefined): number {
  return prefilled === undefined ? tokens : Math.max(1, tokens - prefilled);
}

/** The output bound of a client that sets none: few answers are longer. */
const ENOUGH_OUTPUT = 4_096;
/** Values of an answer apart from its tokens. */
const BESIDE = 10_000;

type RequestedAnswer = Pick<RelayRequest, 'choices' | 'valuesPerToken' | 'maxOutputTokens'>;

/**
 * How many tokens each choice may have. Log probabilities make a whole answer many times as large as its text, and the gateway
 * reads only so many values of one answer.
 */
function readableTokens({ choices, valuesPerToken }: Omit<RequestedAnswer, 'maxOutputTokens'>): number {
  if (valuesPerToken === undefined) return Number.POSITIVE_INFINITY;
  return Math.floor((ANSWER_LIMITS.nodes - BESIDE) / (choices * valuesPerToken));
}

/**
 * A request whose answer could have more values than are read is refused before it costs anything. `most`: the output bound of
 * the model. For a client that named none, the bound is lowered later, but not below
 * this.
 */
export function requireReadable(request: RequestedAnswer, most: number): void {
  const { choices, valuesPerToken = 0, maxOutputTokens = ENOUGH_OUTPUT } = request;
  const tokens = Math.min(maxOutputTokens, most);
  if (tokens <= readableTokens(request)) return;
  const values = (choices * tokens * valuesPerToken).toLocaleString('en-US');
  refuseField(
    'logprobs',
    `The answer could have ${values} values (${choices} x ${tokens} tokens with about ${valuesPerToken} each), and at most ` +
      `${MAX_VALUES} are possible. Request fewer choices, tokens or top_logprobs, or a stream.`,
  );
}

const MAX_VALUES = ANSWER_LIMITS.nodes.toLocaleString('en-US');
