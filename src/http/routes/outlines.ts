// Outlines of the vendors' formats, for the OpenAPI document alone: the members that the gateway itself reads or writes.
// Dialects read the calls. Other members pass, so nothing here forbids any.

import { z } from 'zod';
import { descriptionShape, featuresShape, PRICE_UNIT, successor } from '../../catalog/public-catalog.ts';
import { publicPriceShape } from '../../catalog/public-price.ts';
import type { FaultCode } from '../../faults/table.ts';
import {
  anyObject,
  count,
  each,
  flag,
  isDemo,
  isList,
  named,
  number,
  text,
  time,
  withOptional,
} from '../../kit/shapes.ts';
import { anthropicRateNames, rateHeaderNames } from '../cors.ts';
import { ENCODINGS } from '../decode-body.ts';

const anything = z.unknown();
const model = text.describe('An id or alias of GET /v1/models.');
const optionalModel = model.describe(
  'May be left out if the key can use only one such model, or the default of OpenAI.',
);
const stream = flag.describe('Answer as server-sent events.');
const tools = z.array(anyObject);
const typed = z.array(z.object({ type: text }));

const outlineOf = (description: string) => (id: string, needed: z.ZodRawShape, rest: z.ZodRawShape) =>
  withOptional(needed, rest).meta({ id, description });
const openai = outlineOf('Outline; the whole format is OpenAI’s.');
const anthropic = outlineOf('Outline; the whole format is Anthropic’s.');
const cohere = outlineOf('Outline; the format is that of Cohere and Jina.');
const some = (members: z.ZodRawShape) => withOptional({}, members);

const names = z.array(text);
export const providerShape = some({
  only: names.describe('No other channels, by the names of `x-svc-channel`.'),
  ignore: names.describe('Not these channels.'),
  order: names.describe('These channels first, in this order.'),
  sort: z
    .enum(['price', 'latency'])
    .describe('price: the cheapest of `models` first. latency: the channel that answered fastest lately first.'),
  allow_fallbacks: flag.describe('false: no other channels than those of `order`, or than the first one.'),
}).describe('Which channels may answer.');
const routing = {
  models: names.max(10).describe('Models to try after `model`, in this order, instead of its fallbacks.'),
  provider: providerShape,
};

export const chatRequest = openai(
  'ChatRequest',
  { model, messages: z.array(withOptional({ role: text }, { content: anything })).min(1) },
  {
    stream,
    stream_options: some({ include_usage: flag.describe('The last chunk has usage and cost.') }),
    ...each(count, 'max_completion_tokens', 'max_tokens'),
    n: z.int().min(1),
    tools,
    tool_choice: anything,
    response_format: anyObject,
    reasoning_effort: text,
    ...routing,
  },
);

const message = some({ role: text, content: text.nullable() });
export const chatAnswer = openai(
  'ChatAnswer',
  {
    id: text,
    object: z.literal('chat.completion'),
    model: text,
    choices: z.array(some({ index: count, message, finish_reason: text.nullable() })),
  },
  { created: count, usage: some({ prompt_tokens: count, completion_tokens: count, total_tokens: count }) },
);

export const responsesRequest = openai(
  'ResponsesRequest',
  {
    model,
    input: z.union([text, z.array(anyObject)]).describe('A text, or the whole history as items: nothing is stored.'),
  },
  {
    instructions: text.nullable(),
    stream,
    store: flag.describe('Taken as false, whatever is sent.'),
    max_output_tokens: count,
    tools,
    reasoning: anything.meta({ type: ['object', 'null'] }),
    text: anyObject,
    ...routing,
  },
);

export const responsesAnswer = openai(
  'ResponsesAnswer',
  {
    id: text,
    object: z.literal('response'),
    status: z.enum(['completed', 'incomplete', 'failed', 'in_progress']),
    model: text,
    output: typed,
  },
  { usage: some({ input_tokens: count, output_tokens: count, total_tokens: count }) },
);

export const inputTokensRequest = openai(
  'InputTokensRequest',
  { model },
  {
    input: z
      .union([text, z.array(anyObject)])
      .nullable()
      .describe('A text, or the whole history as items.'),
    instructions: text.nullable(),
    tools,
    text: anyObject,
  },
);

export const compactRequest = openai(
  'CompactRequest',
  { model, input: z.union([text, z.array(anyObject)]).describe('A text, or the whole history as items.') },
  { instructions: text.nullable() },
);

export const compactAnswer = openai(
  'CompactAnswer',
  { id: text, object: z.literal('response.compaction'), created_at: count, output: typed },
  { usage: some({ input_tokens: count, output_tokens: count, total_tokens: count }) },
);

const messages = z.array(z.object({ role: text, content: anything })).min(1);
const prompt = { system: anything, tools, tool_choice: anyObject, thinking: anyObject };

export const messagesRequest = anthropic(
  'MessagesRequest',
  { model, messages, max_tokens: count },
  { ...prompt, stream, ...routing },
);

export const messagesAnswer = anthropic(
  'MessagesAnswer',
  {
    id: text,
    type: z.literal('message'),
    role: z.literal('assistant'),
    model: text,
    content: typed,
    usage: some({ input_tokens: count, output_tokens: count }),
  },
  { stop_reason: text.nullable() },
);

export const countTokensRequest = anthropic('CountTokensRequest', { model, messages }, prompt);

export const embeddingsRequest = openai(
  'EmbeddingsRequest',
  {
    model,
    input: z
      .union([text, z.array(anything)])
      .describe('A text, up to 2,048 texts, a list of token numbers, or lists of them.'),
  },
  { encoding_format: z.enum(['float', 'base64']), dimensions: count, ...routing },
);

export const embeddingsAnswer = openai(
  'EmbeddingsAnswer',
  { data: z.array(withOptional({ embedding: z.union([z.array(number), text]) }, { index: count })) },
  { object: z.literal('list'), model: text, usage: some({ prompt_tokens: count, total_tokens: count }) },
);

const imageCount = z.int().min(1).max(10);

export const imagesRequest = openai(
  'ImagesRequest',
  { prompt: text },
  { model: optionalModel, n: imageCount, size: text, quality: text, stream, ...routing },
);

export const imageEditsRequest = openai(
  'ImageEditsRequest',
  {
    prompt: text,
    images: z
      .array(some({ image_url: text, file_id: text }))
      .min(1)
      .max(16),
  },
  {
    ...{ model: optionalModel, mask: some({ image_url: text, file_id: text }) },
    ...{ n: imageCount, size: text, quality: text, stream, ...routing },
  },
);

const file = text.meta({ format: 'binary' });

export const imageEditsForm = openai(
  'ImageEditsForm',
  { prompt: text, image: z.union([file, z.array(file).max(16)]).describe('One file, or several as `image[]`.') },
  { model: optionalModel, mask: file, n: imageCount, size: text, quality: text, stream, ...routing },
);

export const imageVariationsForm = openai(
  'ImageVariationsForm',
  { image: file },
  { model: optionalModel, n: imageCount, size: text, response_format: text },
);

export const imagesAnswer = openai(
  'ImagesAnswer',
  { data: z.array(some({ b64_json: text, url: text })) },
  { created: count, usage: anyObject },
);

const transcriptFormat = z.enum(['json', 'text', 'srt', 'vtt', 'verbose_json', 'diarized_json']);

export const translationForm = openai(
  'TranslationForm',
  { model, file },
  { prompt: text, response_format: transcriptFormat, temperature: number },
);

export const transcriptionForm = openai(
  'TranscriptionForm',
  { model, file },
  { language: text, prompt: text, response_format: transcriptFormat, temperature: number, stream },
);

export const transcriptionAnswer = openai(
  'TranscriptionAnswer',
  { text },
  { usage: anyObject, language: text, duration: z.union([number, text]), segments: z.array(anyObject) },
).describe('In JSON; `text`, `srt` and `vtt` are answered as text.');

export const speechRequest = openai(
  'SpeechRequest',
  { model, input: text, voice: z.union([text, anyObject]) },
  {
    instructions: text,
    response_format: z.enum(['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm']),
    speed: number,
    stream_format: z.enum(['audio', 'sse']).describe('`sse`: as server-sent events, with usage and cost at the end.'),
  },
);

export const rerankRequest = cohere(
  'RerankRequest',
  {
    model,
    query: text,
    documents: z
      .array(z.union([text, anyObject]))
      .min(1)
      .describe('Up to 2,048 texts, or objects with a `text`.'),
  },
  {
    top_n: z.int().min(1).describe('Return only so many; all of them if left out.'),
    top_k: z.int().min(1).describe('Another name of `top_n`.'),
    rank_fields: z.array(text).min(1).describe('The members of a document that are compared, in place of `text`.'),
    return_documents: flag.describe('Each result has its document.'),
    max_tokens_per_doc: z.int().min(1),
  },
);

export const rerankAnswer = cohere(
  'RerankAnswer',
  {
    model: text,
    results: z
      .array(withOptional({ index: count, relevance_score: number }, { document: anyObject }))
      .describe('The most relevant first; `index` is the place in `documents`.'),
    meta: z.object({ billed_units: z.object({ search_units: count }) }),
    usage: z.object({ prompt_tokens: count, total_tokens: count }),
  },
  { id: text, object: z.literal('list') },
);

export const moderationsRequest = openai(
  'ModerationsRequest',
  {
    input: z
      .union([text, z.array(z.union([text, anyObject]))])
      .describe('A text, a list of texts, or a list of parts of type text or image_url.'),
  },
  { model: optionalModel },
);

export const moderationsAnswer = openai(
  'ModerationsAnswer',
  {
    model: text,
    results: z.array(withOptional({ flagged: flag }, { categories: anyObject, category_scores: anyObject })),
  },
  { id: text },
);

export const listedModel = withOptional(
  {
    id: text,
    ...each(z.literal('model'), 'object', 'type'),
    created_at: time,
    endpoints: z.array(text).describe('The paths that serve it, as in the catalog.'),
    ...each(text, 'owned_by', 'display_name'),
    ...each(count, 'created', 'max_input_tokens', 'max_tokens'),
    free: flag,
    price: publicPriceShape,
    price_unit: z.literal(PRICE_UNIT),
    lifecycle: z.enum(['active', 'deprecated']).describe('`deprecated`: it has a date of retirement.'),
    ...each(time.nullable(), 'deprecated_at', 'retires_at'),
    line: text.nullable(),
    capabilities: z.unknown().meta({ type: ['object', 'null'] }),
  },
  {
    demo: isDemo,
    alias_of: text.describe('The model that this id is another name of, or that replaces it since it retired.'),
    replaced_by: successor,
    description: descriptionShape,
    features: featuresShape,
  },
).meta({ id: 'Model' });

export const modelList = named('ModelList', {
  object: isList,
  data: z.array(listedModel),
  has_more: flag,
  ...each(text.nullable(), 'first_id', 'last_id'),
});

export const encoding = {
  'content-encoding': z
    .enum(ENCODINGS)
    .describe('How the body is compressed. The limit of its size counts for the decompressed body.'),
};
const one = z.enum(['1']);
export const noWait = {
  'x-svc-no-wait': one.describe('Answer 429 at once instead of waiting up to 3 s for a free slot.'),
};
export const strict = {
  'x-svc-strict': one.describe(
    'Answer 400 instead of dropping a setting that the upstream cannot have, and 402 instead of lowering a thinking budget.',
  ),
};
export const session = {
  'x-svc-session': text
    .regex(/^[\x21-\x7e]{1,128}$/)
    .describe('The session that session budgets count for; only a keyed hash of it is stored.'),
};
export const quote = {
  'x-svc-quote': text.describe('The `quote_id` of POST /api/quote for this endpoint and body: its price holds.'),
};
export const anthropicHeaders = {
  'anthropic-version': text.describe('Passed on to upstreams of this format.'),
  'anthropic-beta': text.describe('Passed on to Anthropic, not to others of its format.'),
};

export const gatewayAnswerHeaders = [
  'x-svc-channel',
  ...rateHeaderNames('requests'),
  'x-svc-cost-ntd',
  'x-svc-balance-ntd',
];
export const retirementHeaders = ['x-svc-model', 'deprecation', 'sunset', 'link'];
export const anthropicAnswerHeaders = ['request-id', ...anthropicRateNames('requests')];

export const MODEL_FAULTS: readonly FaultCode[] = ['model_not_found', 'model_retired', 'model_not_allowed'];
