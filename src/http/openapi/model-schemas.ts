// Outlines of the vendors' formats: the members that the gateway itself reads or writes. Others pass, so nothing here
// forbids any; where the whole grammar stands is said in each description.

import {
  ANYTHING,
  bodyOf,
  COUNT,
  FLAG,
  listOf,
  type Members,
  NUMBER,
  objectOf,
  oneWord,
  orNull,
  refTo,
  type Schema,
  TEXT,
  TIME,
  told,
} from './schema.ts';

const OPENAI = 'Outline; the whole format is OpenAI’s.';
const ANTHROPIC = 'Outline; the whole format is Anthropic’s.';

const MODEL: Schema = told('An id or alias of GET /v1/models.', TEXT);
const STREAM: Schema = told('Answer as server-sent events.', FLAG);
const OUTPUT_BOUND: Schema = { type: 'integer', minimum: 0 };
const SOMETHING: Schema = { type: 'object' };

const chatRequest = bodyOf(
  {
    model: MODEL,
    messages: listOf(bodyOf({ role: TEXT, content: ANYTHING }, ['role']), { minItems: 1 }),
    stream: STREAM,
    stream_options: bodyOf({ include_usage: told('The last chunk tells usage and cost.', FLAG) }),
    max_completion_tokens: OUTPUT_BOUND,
    max_tokens: OUTPUT_BOUND,
    n: { type: 'integer', minimum: 1 },
    tools: listOf(SOMETHING),
    tool_choice: ANYTHING,
    response_format: SOMETHING,
    reasoning_effort: TEXT,
  },
  ['model', 'messages'],
);

const chatUsage = bodyOf({ prompt_tokens: COUNT, completion_tokens: COUNT, total_tokens: COUNT });

const chatAnswer = bodyOf(
  {
    id: TEXT,
    object: { const: 'chat.completion' },
    created: COUNT,
    model: TEXT,
    choices: listOf(
      bodyOf({ index: COUNT, message: bodyOf({ role: TEXT, content: orNull(TEXT) }), finish_reason: orNull(TEXT) }),
    ),
    usage: chatUsage,
  },
  ['id', 'object', 'model', 'choices'],
);

const responsesRequest = bodyOf(
  {
    model: MODEL,
    input: told('A text, or the whole history as items: nothing is stored.', {
      anyOf: [TEXT, listOf(SOMETHING)],
    }),
    instructions: orNull(TEXT),
    stream: STREAM,
    store: told('Taken as false, whatever is sent.', FLAG),
    max_output_tokens: OUTPUT_BOUND,
    tools: listOf(SOMETHING),
    reasoning: orNull(SOMETHING),
    text: SOMETHING,
  },
  ['model', 'input'],
);

const responsesAnswer = bodyOf(
  {
    id: TEXT,
    object: { const: 'response' },
    status: oneWord('completed', 'incomplete', 'failed', 'in_progress'),
    model: TEXT,
    output: listOf(bodyOf({ type: TEXT }, ['type'])),
    usage: bodyOf({ input_tokens: COUNT, output_tokens: COUNT, total_tokens: COUNT }),
  },
  ['id', 'object', 'status', 'model', 'output'],
);

const messageMembers: Members = {
  model: MODEL,
  messages: listOf(bodyOf({ role: TEXT, content: ANYTHING }, ['role', 'content']), { minItems: 1 }),
  system: ANYTHING,
  tools: listOf(SOMETHING),
  tool_choice: SOMETHING,
  thinking: SOMETHING,
};

const messagesRequest = bodyOf({ ...messageMembers, max_tokens: OUTPUT_BOUND, stream: STREAM }, [
  'model',
  'messages',
  'max_tokens',
]);

const messagesAnswer = bodyOf(
  {
    id: TEXT,
    type: { const: 'message' },
    role: { const: 'assistant' },
    model: TEXT,
    content: listOf(bodyOf({ type: TEXT }, ['type'])),
    stop_reason: orNull(TEXT),
    usage: bodyOf({ input_tokens: COUNT, output_tokens: COUNT }),
  },
  ['id', 'type', 'role', 'model', 'content', 'usage'],
);

const embeddingsRequest = bodyOf(
  {
    model: MODEL,
    input: told('A text, up to 2,048 texts, a list of token numbers, or lists of them.', {
      anyOf: [TEXT, listOf(ANYTHING)],
    }),
    encoding_format: oneWord('float', 'base64'),
    dimensions: COUNT,
  },
  ['model', 'input'],
);

const embeddingsAnswer = bodyOf(
  {
    object: { const: 'list' },
    model: TEXT,
    data: listOf(bodyOf({ index: COUNT, embedding: { anyOf: [listOf(NUMBER), TEXT] } }, ['embedding'])),
    usage: bodyOf({ prompt_tokens: COUNT, total_tokens: COUNT }),
  },
  ['data'],
);

const imagesRequest = bodyOf(
  {
    model: MODEL,
    prompt: TEXT,
    n: { type: 'integer', minimum: 1, maximum: 10 },
    size: TEXT,
    quality: TEXT,
    stream: STREAM,
  },
  ['model', 'prompt'],
);

const imagesAnswer = bodyOf({ created: COUNT, data: listOf(bodyOf({ b64_json: TEXT, url: TEXT })), usage: SOMETHING }, [
  'data',
]);

const modelMembers: Members = {
  id: TEXT,
  object: { const: 'model' },
  type: { const: 'model' },
  created: COUNT,
  created_at: TIME,
  owned_by: TEXT,
  display_name: TEXT,
  max_input_tokens: COUNT,
  max_tokens: COUNT,
  lifecycle: { const: 'active' },
  deprecated_at: orNull(TIME),
  retires_at: orNull(TIME),
  line: orNull(TEXT),
  capabilities: orNull(SOMETHING),
};

export const MODEL_SCHEMAS: Readonly<Record<string, Schema>> = {
  ChatRequest: told(OPENAI, chatRequest),
  ChatAnswer: told(OPENAI, chatAnswer),
  ResponsesRequest: told(OPENAI, responsesRequest),
  ResponsesAnswer: told(OPENAI, responsesAnswer),
  EmbeddingsRequest: told(OPENAI, embeddingsRequest),
  EmbeddingsAnswer: told(OPENAI, embeddingsAnswer),
  ImagesRequest: told(OPENAI, imagesRequest),
  ImagesAnswer: told(OPENAI, imagesAnswer),
  MessagesRequest: told(ANTHROPIC, messagesRequest),
  MessagesAnswer: told(ANTHROPIC, messagesAnswer),
  CountTokensRequest: told(ANTHROPIC, bodyOf(messageMembers, ['model', 'messages'])),
  CountTokensAnswer: objectOf({ input_tokens: COUNT }),
  Model: {
    ...objectOf(modelMembers),
    properties: { ...modelMembers, alias_of: told('The model that this id is another name of.', TEXT) },
  },
  ModelList: objectOf({
    object: { const: 'list' },
    data: listOf(refTo('Model')),
    has_more: FLAG,
    first_id: orNull(TEXT),
    last_id: orNull(TEXT),
  }),
};
