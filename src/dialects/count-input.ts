// How many tokens the input of a request may be. Media count by their kind, not by the length of their base64.

import { isObject, type Json, type JsonObject } from '../kit/json.ts';
import { addTokens, countTokens, NO_TOKENS, sameTokens, type TokenCount } from '../kit/tokens.ts';

const PER_MESSAGE = sameTokens(8);
const PER_IMAGE: TokenCount = { upper: 4_000, estimate: 800, lower: 80 };
const BASE64_CHARS_PER_TOKEN = 4;

/** Fields that become part of the prompt. */
const PROMPT_FIELDS = [
  'system',
  'tools',
  'functions',
  'response_format',
  'output_config',
  'tool_choice',
  'prediction',
] as const;

export function countInput(body: JsonObject, messages: readonly JsonObject[]): TokenCount {
  let total = sameTokens(3);
  for (const message of messages) total = addTokens(addTokens(total, PER_MESSAGE), countValue(message));
  for (const name of PROMPT_FIELDS) {
    const value = body[name];
    if (value !== undefined && value !== null) total = addTokens(total, countTokens(JSON.stringify(value)));
  }
  return total;
}

function countValue(value: Json | undefined): TokenCount {
  if (typeof value === 'string') return countTokens(value);
  if (Array.isArray(value)) return value.reduce<TokenCount>((sum, item) => addTokens(sum, countValue(item)), NO_TOKENS);
  if (isObject(value)) return countMedia(value) ?? countMembers(value);
  return value === undefined || value === null ? NO_TOKENS : sameTokens(1);
}

function countMembers(value: JsonObject): TokenCount {
  return Object.values(value).reduce<TokenCount>(
    (sum, member) => addTokens(addTokens(sum, sameTokens(1)), countValue(member)),
    NO_TOKENS,
  );
}

function countMedia(part: JsonObject): TokenCount | undefined {
  if (part.type === 'image_url' || part.type === 'image') return PER_IMAGE;
  if (part.type === 'input_audio' || part.type === 'file' || (part.type === 'document' && isObject(part.source))) {
    const upper = Math.ceil(JSON.stringify(part).length / BASE64_CHARS_PER_TOKEN);
    return { upper, estimate: Math.ceil(upper / 4), lower: 1 };
  }
  return undefined;
}
