// Reads the fields of a chat request that the gateway sets or bills by. The rest passes unchanged.

import { isObject, type Json, type JsonDocument, type JsonObject } from '../../kit/json/json.ts';
import type { RelayRequest } from '../dialect.ts';
import {
  MAX_TOKENS,
  nestedCount,
  objectList,
  optionalCount,
  optionalFlag,
  optionalObject,
  readLongCache,
  readModel,
  readServiceTier,
  refuseField,
  requireRoles,
} from '../fields.ts';
import { countInput } from '../input/count-input.ts';
import { addUse, DEFAULT_USES, searchTokens, type ToolUse, useOf } from '../input/tool-use.ts';
import { isSearch, type VendorTool, vendorToolUse } from '../input/vendor-tools.ts';
import { SEARCH_FIELDS } from '../removals/priced-fields.ts';
import { isAsked, joinRemovals, type Removals } from '../removals/removals.ts';
import {
  removePixels,
  removeReasoning,
  removeSearchStrategy,
  removeTemplateArguments,
} from '../removals/remove-members.ts';
import { removeTools } from '../removals/remove-tools.ts';
import { shareBound } from './share-bound.ts';

const MAX_CHOICES = 128;
const ROLES: ReadonlySet<Json | undefined> = new Set(['developer', 'system', 'user', 'assistant', 'tool', 'function']);
const isClients = (type: string) => type === 'function' || type === 'custom';

export function readRequest(document: JsonDocument): RelayRequest {
  const body = document.value;
  refuseResponses(body);
  const messages = objectList(body.messages, 'messages');
  requireRoles(messages, ROLES);
  const older = optionalCount(body, 'max_tokens', MAX_TOKENS);
  const newer = optionalCount(body, 'max_completion_tokens', MAX_TOKENS);
  optionalCount(body, 'thinking_budget', MAX_TOKENS, 0);
  optionalFlag(body, 'enable_thinking');
  return {
    model: readModel(document),
    stream: optionalFlag(body, 'stream'),
    includeUsage: asksForUsage(body),
    maxOutputTokens: newer ?? older,
    boundName: newer === undefined ? 'max_tokens' : 'max_completion_tokens',
    // Some upstreams make more than they show, and bill all of it.
    choices: Math.max(optionalCount(body, 'n', MAX_CHOICES) ?? 1, optionalCount(body, 'best_of', MAX_CHOICES) ?? 1),
    images: 0,
    valuesPerToken: valuesPerToken(body),
    thinkingBudget: nestedCount(body, 'thinking', 'budget_tokens'),
    hasStops: STOPS.some((name) => isAsked(body[name])),
    serviceTier: readServiceTier(body),
    wantsLongCache: readLongCache(body),
    input: countInput(document, messages, vendorUse(body)),
    document,
  };
}

/** Whether the client requests usage at the end of its stream, by the field of OpenAI or of OpenRouter. */
export function asksForUsage(body: JsonObject): boolean {
  const options = optionalObject(body, 'stream_options');
  return (options !== undefined && optionalFlag(options, 'include_usage')) || usageOption(body) === true;
}

/** Undefined if the client did not send it. */
export function usageOption({ usage }: JsonObject): boolean | undefined {
  return isObject(usage) && typeof usage.include === 'boolean' ? usage.include : undefined;
}

/** The values of one token: the token, its probability, each of its bytes, and their containers. */
const VALUES_OF_TOKEN = 8;
const MAX_TOP_LOGPROBS = 1_000_000;

function valuesPerToken(body: JsonObject): number | undefined {
  if (optionalFlag(body, 'stream')) return undefined;
  const others = optionalCount(body, 'top_logprobs', MAX_TOP_LOGPROBS, 0) ?? 0;
  return others > 0 || isAsked(body.logprobs) ? VALUES_OF_TOKEN * (1 + others) + 1 : undefined;
}

/** Some editors send a Responses body here: the error names the right path. */
function refuseResponses({ messages, input }: JsonObject): void {
  if (messages !== undefined || input === undefined) return;
  refuseField('input', 'This path takes messages, not input. Send a body with input to /v1/responses.');
}

/** Fields with stop sequences: OpenAI's, and those of servers with the same format. */
const STOPS = ['stop', 'stop_token_ids', 'stop_sequences', 'stop_words', 'stop_regex'] as const;

export function findRemovals(body: JsonObject, isFree: boolean): Removals {
  return joinRemovals(
    removeReasoning(body),
    removeSearchStrategy(body),
    removeTemplateArguments(body),
    removePixels(body, 'messages'),
    removeTools(body, { isClients, isFree }),
  );
}

export function loweredFields(body: JsonObject, maxOutputTokens: number): readonly string[] {
  return shareBound(body, maxOutputTokens).lowered;
}

const usesOf = ({ type }: VendorTool) => (isSearch(type) ? DEFAULT_USES : undefined);

/** No field of this format bounds how often a tool is used. A setting has one search made, before the answer. */
function vendorUse(body: JsonObject): ToolUse {
  let use = vendorToolUse(body.tools, isClients, usesOf);
  for (const name of SEARCH_FIELDS) {
    if (isAsked(body[name])) use = addUse(use, useOf('web_search', 1, searchTokens(body[name])));
  }
  return use;
}
