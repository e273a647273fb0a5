// The calls that reach a model, as clients see them.

import type { z } from 'zod';
import { anthropicMessages } from '../../dialects/anthropic-messages/dialect.ts';
import type { Dialect } from '../../dialects/dialect.ts';
import { openaiChat } from '../../dialects/openai-chat/dialect.ts';
import { openaiEmbeddings } from '../../dialects/openai-embeddings/dialect.ts';
import { openaiImageEdits, openaiImages, openaiImageVariations } from '../../dialects/openai-images/dialect.ts';
import { openaiModerations } from '../../dialects/openai-moderations/dialect.ts';
import { openaiResponses } from '../../dialects/openai-responses/dialect.ts';
import { AUDIO_TYPES, openaiSpeech } from '../../dialects/openai-speech/dialect.ts';
import { openaiTranscriptions, openaiTranslations } from '../../dialects/openai-transcriptions/dialect.ts';
import { rerank } from '../../dialects/rerank/dialect.ts';
import type { FaultCode } from '../../faults/table.ts';
import { each, text } from '../../kit/shapes.ts';
import type { ModelKind } from '../../vendors/endpoints.ts';
import { callModel, type ModelCall } from '../call-model.ts';
import { rewriteCompact, rewriteResponse } from '../compact-call.ts';
import { anthropicRateNames, rateHeaderNames } from '../cors.ts';
import { type Description, type ModelFor, pathTemplate, type RouteName } from '../description.ts';
import { keyedRoute } from '../operation.ts';
import * as outline from './outlines.ts';

const MIB = 1024 * 1024;
const AUDIO = text.meta({ format: 'binary' });
const HELLO = { role: 'user', content: 'Hello' };

const CALL_FAULTS: readonly FaultCode[] = [
  ...outline.MODEL_FAULTS,
  'unsupported_endpoint',
  'quote_expired',
  'quote_mismatch',
  'context_length_exceeded',
  'content_rejected',
  'insufficient_balance',
  'key_budget_exceeded',
  'balance_in_use',
  'rate_limited',
  'free_minute_limit',
  'free_daily_limit',
  'too_many_in_flight',
  'upstream_failed',
  'loop_detected',
];

interface ModelCallDescription
  extends Omit<Description, 'tag' | 'result' | 'bodyAs'>,
    Pick<ModelCall, 'complete' | 'rewrite'> {
  kind: ModelKind;
  dialect: Dialect;
  /** Maximum size of a body in JSON. */
  maxBytes: number;
  /** The body as a form, where the dialect has one. */
  form?: z.ZodType;
  passedOn?: readonly string[];
  /** `x-svc-strict` counts; if left out, for chats. */
  takesStrict?: boolean;
  /** The answer as server-sent events, where the call has one. */
  events?: string;
}

export function modelCall<Name extends RouteName>(name: Name, description: ModelCallDescription) {
  const { kind, dialect, takesStrict = kind === 'chat', complete, rewrite, form, events, ...others } = description;
  const { passedOn = [], answerHeaders = [], ...rest } = others;
  const path = pathTemplate(name.slice('POST '.length));
  const call: ModelCall = {
    path,
    kind,
    dialect,
    maxBytes: rest.maxBytes,
    passedOn,
    ...(complete && { complete }),
    ...(rewrite && { rewrite }),
  };
  const route = keyedRoute(name, {
    ...rest,
    maxBytes: Math.max(rest.maxBytes, dialect.request.form?.maxBytes ?? 0),
    bodyAs: form && { 'multipart/form-data': form },
    tag: 'models',
    result: events === undefined ? 'The answer.' : 'The answer; with `stream: true` as server-sent events.',
    ...(events === undefined ? {} : { alsoAs: { ...rest.alsoAs, 'text/event-stream': text.describe(events) } }),
    answerHeaders: [
      ...outline.gatewayAnswerHeaders,
      'x-svc-max-tokens',
      'x-svc-budget-warning',
      ...rateHeaderNames('tokens'),
      'x-svc-dropped',
      'x-svc-translated',
      ...outline.retirementHeaders,
      ...answerHeaders,
    ],
    requestHeaders: {
      ...rest.requestHeaders,
      ...outline.noWait,
      ...(takesStrict && outline.strict),
      ...outline.session,
      ...outline.quote,
      ...outline.encoding,
    },
    envelope: dialect.envelope,
    faults: CALL_FAULTS,
    handle: (tools, exchange) => callModel(tools, exchange, call),
  });
  return { ...route, call };
}

export const chatCompletions = modelCall('POST /v1/chat/completions', {
  id: 'createChatCompletion',
  summary: 'Chat in the OpenAI format',
  kind: 'chat',
  dialect: openaiChat,
  maxBytes: 20 * MIB,
  body: outline.chatRequest,
  example: (modelFor: ModelFor) => ({ model: modelFor('chat'), messages: [HELLO] }),
  answer: outline.chatAnswer,
  events:
    'Chunks of `chat.completion.chunk`, ended by `[DONE]`. The last usage has `cost_ntd` and `cost_nano`. A failure is a last event with `error`.',
});

const RERANK = {
  kind: 'rerank',
  dialect: rerank,
  maxBytes: 5 * MIB,
  body: outline.rerankRequest,
  example: (modelFor: ModelFor) => ({
    model: modelFor('rerank'),
    query: 'How do I reset my password?',
    documents: ['Open Settings and choose Reset password.', 'Our office is closed on Sunday.'],
    top_n: 1,
  }),
  answer: outline.rerankAnswer,
} as const;

export const MODEL_CALLS = [
  chatCompletions,
  modelCall('POST /v1/responses', {
    id: 'createResponse',
    summary: 'The OpenAI responses format, without stored state',
    description:
      'Send the whole history in `input`. `GET` opens a WebSocket, on which only new items are sent. `previous_response_id`, `conversation`, `prompt`, `background` and references to items are refused.',
    kind: 'chat',
    dialect: openaiResponses,
    rewrite: rewriteResponse,
    maxBytes: 20 * MIB,
    body: outline.responsesRequest,
    example: (modelFor: ModelFor) => ({ model: modelFor('chat'), input: 'Hello', store: false }),
    answer: outline.responsesAnswer,
    events:
      'Events from `response.created` to `response.completed` or `response.incomplete`. A failure is `response.failed`.',
  }),
  modelCall('POST /v1/messages', {
    id: 'createMessage',
    summary: 'Messages in the Anthropic format',
    kind: 'chat',
    dialect: anthropicMessages,
    maxBytes: 20 * MIB,
    passedOn: Object.keys(outline.anthropicHeaders),
    requestHeaders: outline.anthropicHeaders,
    body: outline.messagesRequest,
    example: (modelFor: ModelFor) => ({ model: modelFor('chat'), max_tokens: 256, messages: [HELLO] }),
    answer: outline.messagesAnswer,
    answerHeaders: [...outline.anthropicAnswerHeaders, ...anthropicRateNames('tokens')],
    events:
      'Events from `message_start` to `message_stop`; `message_delta` has usage and cost. A failure is `event: error`.',
  }),
  modelCall('POST /v1/embeddings', {
    id: 'createEmbedding',
    summary: 'Embeddings in the OpenAI format',
    kind: 'embeddings',
    dialect: openaiEmbeddings,
    maxBytes: 5 * MIB,
    body: outline.embeddingsRequest,
    example: (modelFor: ModelFor) => ({ model: modelFor('embeddings'), input: 'Hello' }),
    answer: outline.embeddingsAnswer,
  }),
  modelCall('POST /v1/images/generations', {
    id: 'createImage',
    summary: 'Images in the OpenAI format',
    kind: 'images',
    dialect: openaiImages,
    maxBytes: 25 * MIB,
    body: outline.imagesRequest,
    example: (modelFor: ModelFor) => ({ model: modelFor('images'), prompt: 'A lighthouse at night' }),
    answer: outline.imagesAnswer,
    events: 'Partial images and the last one, as events.',
  }),
  modelCall('POST /v1/images/edits', {
    id: 'createImageEdit',
    summary: 'Edits of images in the OpenAI format',
    description:
      'Send images as files in a form, at most 51 MiB in all, or their addresses in JSON. Files are never stored. Priced as images are.',
    kind: 'images',
    dialect: openaiImageEdits,
    maxBytes: 25 * MIB,
    body: outline.imageEditsRequest,
    form: outline.imageEditsForm,
    example: (modelFor: ModelFor) => ({
      model: modelFor('images'),
      prompt: 'Add a boat',
      images: [{ image_url: 'https://example.com/lighthouse.png' }],
    }),
    answer: outline.imagesAnswer,
    events: 'Partial images and the last one, as events.',
  }),
  modelCall('POST /v1/images/variations', {
    id: 'createImageVariation',
    summary: 'Variations of an image in the OpenAI format',
    description: 'Few models have it. The file is never stored. Priced as images are.',
    kind: 'images',
    dialect: openaiImageVariations,
    maxBytes: MIB,
    form: outline.imageVariationsForm,
    answer: outline.imagesAnswer,
  }),
  modelCall('POST /v1/audio/transcriptions', {
    id: 'createTranscription',
    summary: 'Transcripts of recordings in the OpenAI format',
    description: 'Send the recording as a file in a form, at most 26 MiB in all. It is never stored.',
    kind: 'transcription',
    dialect: openaiTranscriptions,
    maxBytes: MIB,
    form: outline.transcriptionForm,
    answer: outline.transcriptionAnswer,
    events: 'Parts of the text as `transcript.text.delta`, and `transcript.text.done` with usage and cost.',
  }),
  modelCall('POST /v1/audio/translations', {
    id: 'createTranslation',
    summary: 'Transcripts in English, whatever language is spoken, in the OpenAI format',
    description: 'Few models have it. The recording is never stored.',
    kind: 'transcription',
    dialect: openaiTranslations,
    maxBytes: MIB,
    form: outline.translationForm,
    answer: outline.transcriptionAnswer,
  }),
  modelCall('POST /v1/audio/speech', {
    id: 'createSpeech',
    summary: 'Speech in the OpenAI format',
    description:
      'The audio is sent as it is made. If it breaks off, the connection is closed without an end, and nothing is charged. The cost is in the receipt; with `stream_format: "sse"` also in the last event.',
    kind: 'speech',
    dialect: openaiSpeech,
    maxBytes: MIB,
    body: outline.speechRequest,
    example: (modelFor: ModelFor) => ({ model: modelFor('speech'), input: 'Hello', voice: 'alloy' }),
    answer: AUDIO,
    answerType: 'audio/mpeg',
    alsoAs: each(AUDIO, ...AUDIO_TYPES),
    events: 'Events of type `speech.audio.delta` with base64, then `speech.audio.done` with usage and cost.',
  }),
  modelCall('POST /v1/rerank', {
    id: 'rerank',
    summary: 'Sort documents by their relevance to a query',
    description: 'In the format of Cohere and Jina, whichever of them serves.',
    ...RERANK,
  }),
  modelCall('POST /v2/rerank', {
    id: 'rerankV2',
    summary: 'The same as /v1/rerank, at the path that Cohere clients call',
    ...RERANK,
  }),
  modelCall('POST /v1/moderations', {
    id: 'createModeration',
    summary: 'Moderations in the OpenAI format',
    kind: 'moderation',
    dialect: openaiModerations,
    maxBytes: 20 * MIB,
    body: outline.moderationsRequest,
    example: (modelFor: ModelFor) => ({ model: modelFor('moderation'), input: 'Hello' }),
    answer: outline.moderationsAnswer,
  }),
  modelCall('POST /v1/responses/compact', {
    id: 'compactResponse',
    summary: 'A shorter form of a conversation in the responses format',
    description:
      'Billed as any answer. `output` has messages of the user and one item `compaction`, to be sent as the beginning of `input` from then on. Its content is sealed: only this account can use it. Where the vendor of the channel compacts, only models on channels to the same vendor account can read it; otherwise the model writes a summary, which every model can read. `POST /v1/responses` does the same if the last item of `input` is `{"type": "compaction_trigger"}`.',
    kind: 'chat',
    dialect: openaiResponses,
    maxBytes: 20 * MIB,
    body: outline.compactRequest,
    example: (modelFor: ModelFor) => ({ model: modelFor('chat'), input: [{ role: 'user', content: 'Hello' }] }),
    answer: outline.compactAnswer,
    rewrite: rewriteCompact,
  }),
];
