// The calls of Gemini clients. The URL has the model and the method; the same handler serves them as all other model calls.

import { z } from 'zod';
import { gemini } from '../../dialects/gemini/dialect.ts';
import { member } from '../../dialects/gemini/member.ts';
import { readInput } from '../../dialects/gemini/read-request.ts';
import { batchEmbedContents, embedContent } from '../../dialects/gemini-embeddings/dialect.ts';
import { isObject, type JsonDocument } from '../../kit/json/json.ts';
import { openMember } from '../../kit/json/raw-json.ts';
import { anyObject, count, each, named, number, text, withOptional } from '../../kit/shapes.ts';
import { chooseModel } from '../../relay/choose-model.ts';
import type { ModelKind } from '../../vendors/endpoints.ts';
import type { ModelCall } from '../call-model.ts';
import { gatewayHeaders } from '../common-headers.ts';
import { type CallUrl, modelInPath, streamMembers, withMembers } from '../gemini-path.ts';
import { keyedRoute } from '../operation.ts';
import { finishScan, openScan, parseScannedText } from '../read-body.ts';
import { countTokens } from './count-tokens.ts';
import { modelCall } from './model-calls.ts';
import { describeModel, usableModels } from './models.ts';
import * as outline from './outlines.ts';

const MAX_BYTES = 20 * 1024 * 1024;
const FORMAT = 'Outline; the whole format is Google’s.';
const params = { model: text.describe('An id or alias of GET /v1beta/models, without `models/`.') };
const content = withOptional({ parts: z.array(anyObject) }, { role: z.enum(['user', 'model']) });
const contents = z.array(content).min(1);

const request = withOptional(
  { contents },
  { systemInstruction: anyObject, tools: z.array(anyObject), toolConfig: anyObject, generationConfig: anyObject },
).meta({ id: 'GeminiRequest', description: FORMAT });

const answer = withOptional(
  {
    candidates: z.array(withOptional({ content: anyObject }, { finishReason: text, index: count })),
    modelVersion: text,
  },
  {
    responseId: text,
    usageMetadata: withOptional({}, each(count, 'promptTokenCount', 'candidatesTokenCount', 'totalTokenCount')),
  },
).meta({ id: 'GeminiAnswer', description: FORMAT });

const COMMON = {
  kind: 'chat',
  dialect: gemini,
  maxBytes: MAX_BYTES,
  params,
  body: request,
  example: { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] },
  answer,
} as const;

const listed = withOptional(
  {
    name: text.describe('`models/` and the id.'),
    displayName: text,
    supportedGenerationMethods: z.array(text),
    ...each(count, 'inputTokenLimit', 'outputTokenLimit'),
  },
  { description: text, version: text },
).meta({ id: 'GeminiModel', description: FORMAT });

const generateContent = modelCall('POST /v1beta/models/:model:generateContent', {
  ...COMMON,
  id: 'generateContent',
  summary: 'An answer in the Gemini format',
  complete: (body, exchange) => withMembers(body, { model: modelInPath(exchange), stream: false }),
});

const streamGenerateContent = modelCall('POST /v1beta/models/:model:streamGenerateContent', {
  ...COMMON,
  id: 'streamGenerateContent',
  summary: 'A stream in the Gemini format',
  query: z.object({ alt: z.enum(['sse', 'json']).optional().describe('`sse`: as server-sent events.') }),
  answer: z.array(answer).describe('Chunks as one JSON list, without `alt=sse`.'),
  events: 'Chunks in the form of an answer. The last one has `usageMetadata` with `cost_ntd` and `cost_nano`.',
  complete: (body, exchange) => withMembers(body, { model: modelInPath(exchange), ...streamMembers(exchange) }),
});

const EMBEDDINGS = {
  kind: 'embeddings',
  maxBytes: 5 * 1024 * 1024,
  params,
  takesStrict: true,
  complete: (body: Uint8Array, exchange: CallUrl) => withMembers(body, { model: modelInPath(exchange) }),
} as const;

const texts = withOptional({ parts: z.array(withOptional({ text }, {})) }, {}).describe(
  'The texts of its parts, each in its own line.',
);
const embedding = withOptional({ values: z.array(number) }, {});
const embeddingUsage = { usageMetadata: withOptional({}, each(count, 'promptTokenCount', 'totalTokenCount')) };
const embedRequest = withOptional({ content: texts }, { outputDimensionality: count, model: text }).meta({
  id: 'GeminiEmbeddingRequest',
  description: FORMAT,
});
const HELLO = { content: { parts: [{ text: 'Hello' }] } };

const embedOne = modelCall('POST /v1beta/models/:model:embedContent', {
  ...EMBEDDINGS,
  id: 'embedContent',
  summary: 'An embedding in the Gemini format',
  dialect: embedContent,
  body: embedRequest,
  example: HELLO,
  answer: withOptional({ embedding }, embeddingUsage).meta({ id: 'GeminiEmbedding', description: FORMAT }),
});

const embedBatch = modelCall('POST /v1beta/models/:model:batchEmbedContents', {
  ...EMBEDDINGS,
  id: 'batchEmbedContents',
  summary: 'Embeddings in the Gemini format',
  dialect: batchEmbedContents,
  body: withOptional({ requests: z.array(embedRequest).min(1) }, {}).meta({
    id: 'GeminiEmbeddingsRequest',
    description: FORMAT,
  }),
  example: { requests: [HELLO] },
  answer: withOptional({ embeddings: z.array(embedding) }, embeddingUsage).meta({
    id: 'GeminiEmbeddings',
    description: FORMAT,
  }),
});

const POSTED: Readonly<Record<string, { call: ModelCall }>> = {
  generateContent,
  streamGenerateContent,
  embedContent: embedOne,
  batchEmbedContents: embedBatch,
};

export const GEMINI_CALLS = [
  generateContent,
  streamGenerateContent,
  embedOne,
  embedBatch,
  keyedRoute('POST /v1beta/models/:model:countTokens', {
    id: 'countGeminiTokens',
    tag: 'models',
    summary: 'How many tokens a Gemini request would be',
    description: 'Counted by the gateway. It costs nothing, takes no slot and asks no upstream.',
    maxBytes: MAX_BYTES,
    params,
    body: withOptional({}, { contents, generateContentRequest: anyObject }),
    example: COMMON.example,
    result: 'The count.',
    answer: named('GeminiCount', { totalTokens: count }),
    answerHeaders: outline.gatewayAnswerHeaders,
    faults: [...outline.MODEL_FAULTS, 'unsupported_endpoint', 'rate_limited'],
    envelope: 'google',
    handle: (tools, exchange) =>
      countTokens(tools, exchange, {
        model: modelInPath(exchange),
        read: async (document) => readInput(await countedRequest(document)),
        write: (totalTokens) => ({ totalTokens }),
      }),
  }),
  keyedRoute('GET /v1beta/models', {
    id: 'listGeminiModels',
    tag: 'models',
    summary: 'The models for chats and embeddings that this key may use, in the Gemini format',
    result: 'The models.',
    answer: named('GeminiModelList', { models: z.array(listed) }),
    answerHeaders: outline.gatewayAnswerHeaders,
    envelope: 'google',
    async handle(tools, exchange) {
      const models = usableModels(tools.catalog(), exchange.key)
        .map(writeModel)
        .filter(({ supportedGenerationMethods: methods }) => methods.length > 0);
      return Response.json({ models }, { headers: await gatewayHeaders(tools, exchange, 'google') });
    },
  }),
  keyedRoute('GET /v1beta/models/:model', {
    id: 'showGeminiModel',
    tag: 'models',
    summary: 'One model in the Gemini format',
    params,
    result: 'The model.',
    answer: listed,
    answerHeaders: outline.gatewayAnswerHeaders,
    faults: [...outline.MODEL_FAULTS, 'unsupported_endpoint'],
    envelope: 'google',
    async handle(tools, exchange) {
      const catalog = tools.catalog();
      const { model: id = '' } = exchange.params;
      const kind = catalog.find(id)?.kinds.find((one) => one in METHODS) ?? 'chat';
      const model = describeModel(chooseModel(catalog, exchange.key, id, kind), catalog, id);
      return Response.json(writeModel(model), { headers: await gatewayHeaders(tools, exchange, 'google') });
    },
  }),
];

const CALL_PATH = /^\/v1beta\/models\/([^/?]+):(\w+)(?:\?alt=(?:sse|json))?$/;

/** The call of a URL, as a quote names it. */
export function findGeminiCall(url: string): { call: ModelCall; url: CallUrl } | undefined {
  const [, name = '', method = ''] = CALL_PATH.exec(url) ?? [];
  const id = decoded(name);
  const found = Object.hasOwn(POSTED, method) ? POSTED[method] : undefined;
  if (!id || !found) return undefined;
  // As the router has it: an id may have a colon, too.
  const params = { model: `${id}:${method}` };
  return { call: found.call, url: { params, request: new Request(new URL(url, 'http://gateway.invalid')) } };
}

/** Undefined if its percent signs are no encoding. */
function decoded(name: string): string | undefined {
  try {
    return decodeURIComponent(name);
  } catch {
    return undefined;
  }
}

/** A whole request to be counted is in a separate member. */
async function countedRequest(document: JsonDocument): Promise<JsonDocument> {
  const name = 'generateContentRequest';
  if (!isObject(member(document.value, name))) return document;
  const place = openMember(document, name) ?? openMember(document, 'generate_content_request');
  return place ? parseScannedText(place.text, await finishScan(openScan(place.text))) : document;
}

const METHODS: Partial<Record<ModelKind, { path: string; names: readonly string[] }>> = {
  chat: { path: '/v1/chat/completions', names: ['generateContent', 'streamGenerateContent', 'countTokens'] },
  embeddings: { path: '/v1/embeddings', names: ['embedContent', 'batchEmbedContents'] },
};

function writeModel(model: ReturnType<typeof describeModel>) {
  const { endpoints } = model;
  return {
    name: `models/${model.id}`,
    version: model.created_at,
    displayName: model.display_name,
    inputTokenLimit: model.max_input_tokens,
    outputTokenLimit: model.max_tokens,
    supportedGenerationMethods: Object.values(METHODS).flatMap(({ path, names }) =>
      endpoints.includes(path) ? names : [],
    ),
  };
}
