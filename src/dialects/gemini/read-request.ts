// Reads the fields of a Gemini request that the gateway sets or bills by. The URL has the model, and whether to stream;
// the HTTP layer adds both to the body as `model` and `stream`, and `alt` if the stream is one JSON list.

import type { Json, JsonDocument, JsonObject } from '../../kit/json/json.ts';
import type { RelayRequest } from '../dialect.ts';
import { countAt, MAX_TOKENS, optionalFlag, readModel, refuseField } from '../fields.ts';
import { countInput, findInlineMedia, type InputCount } from '../input/count-input.ts';
import { isAsked } from '../removals/removals.ts';
import { hostedUse } from './hosted-tools.ts';
import { member, objectMember, objectsAt } from './member.ts';

const BOUND = 'generationConfig.maxOutputTokens';
const MAX_CANDIDATES = 128;
const ROLES: ReadonlySet<Json | undefined> = new Set(['user', 'model', 'function', undefined, null]);

export function readContents(body: JsonObject): readonly JsonObject[] {
  const contents = objectsAt(body.contents, 'contents');
  if (contents.length === 0) refuseField('contents', 'contents must be a list with at least one object.');
  for (const [index, { role }] of contents.entries()) {
    if (!ROLES.has(role)) refuseField(`contents[${index}].role`, `Set contents[${index}].role to user or model.`);
  }
  return contents;
}

/** The input of a request, which alone is enough to count it. */
export function readInput(document: JsonDocument): InputCount {
  const { value: body } = document;
  return countInput(document, readContents(body), hostedUse(body), [], findInlineMedia);
}

export function readRequest(document: JsonDocument): RelayRequest {
  const body = document.value;
  const input = readInput(document);
  const config = objectMember(body, 'generationConfig') ?? {};
  return {
    model: readModel(document),
    stream: optionalFlag(body, 'stream'),
    includeUsage: true,
    maxOutputTokens: countAt(member(config, 'maxOutputTokens'), BOUND, MAX_TOKENS),
    boundName: BOUND,
    choices: countAt(member(config, 'candidateCount'), 'generationConfig.candidateCount', MAX_CANDIDATES) ?? 1,
    images: 0,
    // A budget above the output bound is legal here: the translation lowers it.
    thinkingBudget: undefined,
    hasStops: isAsked(member(config, 'stopSequences')),
    input,
    document,
  };
}

/** A stream as one JSON list, as Google sends it without `alt=sse`. */
export function isList({ value }: JsonDocument): boolean {
  return value.alt === 'json';
}
