// Google's embeddings format, for clients. Upstreams are asked in the OpenAI format.

import { fault } from '../../faults/fault.ts';
import { type JsonDocument, type JsonObject, objectsOf, readJsonObject } from '../../kit/json/json.ts';
import { isMark } from '../../kit/json/long-members.ts';
import type { AnswerFacts, Dialect, LongMemberRules, RelayRequest } from '../dialect.ts';
import { MAX_TOKENS, optionalCount, readModel, refuseField } from '../fields.ts';
import { camelName, member, objectMember, objectsAt } from '../gemini/member.ts';
import { LONG_MEMBERS, openaiEmbeddings, unpackFloats } from '../openai-embeddings/dialect.ts';
import { isAsked, NO_REMOVALS } from '../removals/removals.ts';
import { NEVER_STREAMS } from '../stream/bare-events.ts';

const LONG: LongMemberRules = {
  ...LONG_MEMBERS,
  tooLarge: () =>
    fault('invalid_request', {
      param: 'requests',
      message: 'The vectors are larger than one answer can hold. Nothing was charged. Send fewer requests at once.',
    }),
};

function embeddingsDialect(isBatch: boolean): Dialect {
  return {
    ...openaiEmbeddings,
    envelope: 'google',
    request: {
      ...openaiEmbeddings.request,
      promptField: 'content',
      read: (document) => readRequest(document, isBatch),
      findRemovals(body) {
        const names = LEFT_OUT.get(body) ?? [];
        return names.length === 0 ? NO_REMOVALS : { names, edits: {} };
      },
    },
    answer: { read: readAnswer, write: (document) => writeAnswer(document, isBatch), longMembers: LONG },
    stream: NEVER_STREAMS,
  };
}

export const embedContent = embeddingsDialect(false);
export const batchEmbedContents = embeddingsDialect(true);

/** A vector has no index here: another number of them would belong to other texts. */
function readAnswer(document: JsonDocument, request?: RelayRequest): AnswerFacts | undefined {
  const { input } = request?.document.value ?? {};
  const vectors = vectorsIn(document);
  if (!Array.isArray(input) || vectors.length !== input.length) return undefined;
  const isPlaced = vectors.every(({ index }, place) => index === undefined || index === place);
  return isPlaced ? openaiEmbeddings.answer.read(document) : undefined;
}

function vectorsIn({ value }: JsonDocument): JsonObject[] {
  return objectsOf(value.data).toSorted((one, other) => Number(one.index ?? 0) - Number(other.index ?? 0));
}

function writeAnswer(document: JsonDocument, isBatch: boolean): string {
  const embeddings = vectorsIn(document).map(({ embedding }) => ({
    // Marked members are converted when they are sent.
    values: typeof embedding === 'string' && !isMark(document, embedding) ? unpackFloats(embedding) : embedding,
  }));
  const usage = openaiEmbeddings.answer.read(document)?.usage;
  const tokens = typeof usage === 'object' ? usage.buckets.input + usage.buckets.cachedInput : undefined;
  const usageMetadata = tokens === undefined ? undefined : { promptTokenCount: tokens, totalTokenCount: tokens };
  return JSON.stringify({ ...(isBatch ? { embeddings } : { embedding: embeddings[0] }), usageMetadata });
}

const MAX_REQUESTS = 2_048;
const DIMENSIONS = 'outputDimensionality';
const CONFIG = 'embedContentConfig';
const READ: ReadonlySet<string> = new Set(['model', 'content', 'requests', DIMENSIONS, CONFIG]);

/** By the request that was written: the client's settings that are not in it. */
const LEFT_OUT = new WeakMap<JsonObject, readonly string[]>();

function readRequest(document: JsonDocument, isBatch: boolean): RelayRequest {
  const model = readModel(document);
  const { value: body } = document;
  const requests = isBatch ? readBatch(body) : [body];
  const at = (index: number, name: string) => (isBatch ? `requests[${index}].${name}` : name);
  const input = requests.map((request, index) => readText(request, at(index, 'content')));
  for (const [index, { model: named }] of requests.entries()) {
    if (named !== undefined && named !== null && named !== model && named !== `models/${model}`) {
      refuseField(at(index, 'model'), `${at(index, 'model')} must be the model of the URL.`);
    }
  }
  const [dimensions, ...others] = requests.map((request) => optionalCount(settingsOf(request), DIMENSIONS, MAX_TOKENS));
  const other = others.findIndex((one) => one !== dimensions);
  if (other >= 0) {
    const place = at(other + 1, DIMENSIONS);
    refuseField(place, `All requests of a batch need the same ${DIMENSIONS}. Send ${place} in a separate call.`);
  }
  const written = readJsonObject(JSON.stringify({ model, input, dimensions }));
  const names = new Set([...requests, ...(isBatch ? [body] : [])].flatMap(namesLeftOut));
  LEFT_OUT.set(written.value, [...names]);
  return openaiEmbeddings.request.read(written);
}

function readBatch({ requests }: JsonObject): readonly JsonObject[] {
  const list = objectsAt(requests, 'requests');
  if (list.length === 0) refuseField('requests', 'requests must be a list with at least one request.');
  if (list.length > MAX_REQUESTS) {
    refuseField('requests', `requests has more than ${MAX_REQUESTS} items. Send fewer at once.`);
  }
  return list;
}

function readText(request: JsonObject, at: string): string {
  const content = objectMember(request, 'content', at);
  if (!content) return refuseField(at, `${at} is missing. Set it to an object with parts.`);
  const texts = objectsAt(content.parts, `${at}.parts`).map(({ text }, index) => {
    if (typeof text === 'string') return text;
    const place = `${at}.parts[${index}]`;
    return refuseField(place, `Only text can be embedded. Make ${place} a text, or remove it.`);
  });
  const text = texts.join('\n');
  return text === '' ? refuseField(at, `${at} has no text.`) : text;
}

/** Google's platforms have settings in the request, or in an object of their own. */
function settingsOf(request: JsonObject): JsonObject {
  const nested = objectMember(request, CONFIG) ?? {};
  return { [DIMENSIONS]: member(request, DIMENSIONS) ?? member(nested, DIMENSIONS) };
}

function namesLeftOut(request: JsonObject): string[] {
  return Object.entries({ ...objectMember(request, CONFIG), ...request })
    .filter(([name, value]) => !READ.has(camelName(name)) && isAsked(value))
    .map(([name]) => camelName(name));
}
