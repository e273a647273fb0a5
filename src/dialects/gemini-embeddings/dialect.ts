// Google's embeddings format, for clients. Upstreams are asked in the OpenAI format.

import { fault } from '../../faults/fault.ts';
import { type JsonDocument, type JsonObject, objectsOf } from '../../kit/json/json.ts';
import { isMark } from '../../kit/json/long-members.ts';
import type { AnswerFacts, Dialect, LongMemberRules, RelayRequest } from '../dialect.ts';
import { openaiEmbeddings } from '../openai-embeddings/dialect.ts';
import { LONG_MEMBERS, unpackFloats } from '../openai-embeddings/long-members.ts';
import { NO_REMOVALS } from '../removals/removals.ts';
import { NEVER_STREAMS } from '../stream/never-streams.ts';
import { leftOut, readRequest } from './read-request.ts';

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
        const names = leftOut(body);
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
