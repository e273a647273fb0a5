// The top-level fields that a free model takes, by format: what common clients send. An unknown field may be a vendor's means
// to ask for more, and no hold would cover that.

import type { Dialect } from '../dialect.ts';

const SAMPLING = ['temperature', 'top_p', 'top_k'];
const OPENAI = ['user', 'safety_identifier', 'metadata', 'service_tier', 'store'];
const CACHING = ['prompt_cache_key', 'prompt_cache_retention', 'prompt_cache_options', 'cache_control'];
const IMAGES = [
  ...['model', 'prompt', 'n', 'size', 'response_format', 'user', 'stream'],
  ...['background', 'output_format', 'output_compression'],
];
const TOOLS = ['tools', 'tool_choice'];

export const FREE_FIELDS: Record<Dialect['endpoint'], readonly string[]> = {
  chat: [
    ...['model', 'messages', 'stream', 'stream_options', 'max_tokens', 'max_completion_tokens', 'n', 'stop'],
    ...SAMPLING,
    ...['min_p', 'top_a', 'repetition_penalty', 'frequency_penalty', 'presence_penalty', 'seed', 'random_seed'],
    ...['logit_bias', 'logprobs', 'top_logprobs', 'response_format', 'verbosity'],
    ...TOOLS,
    ...['parallel_tool_calls', 'functions', 'function_call'],
    ...['reasoning_effort', 'reasoning', 'include_reasoning', 'thinking', 'enable_thinking', 'thinking_budget'],
    ...['chat_template_kwargs', 'usage', 'transforms', 'session_id'],
    ...OPENAI,
    ...CACHING,
  ],
  responses: [
    ...['model', 'input', 'instructions', 'stream', 'stream_options', 'max_output_tokens', 'max_tool_calls'],
    ...SAMPLING,
    ...['top_logprobs', 'text', 'reasoning', 'include', 'truncation', 'context_management', 'client_metadata'],
    ...TOOLS,
    ...['parallel_tool_calls', 'background', 'previous_response_id', 'conversation', 'prompt'],
    ...OPENAI,
    ...CACHING,
  ],
  messages: [
    ...['model', 'messages', 'system', 'stream', 'max_tokens', 'stop_sequences'],
    ...SAMPLING,
    ...TOOLS,
    ...['thinking', 'output_config', 'output_format', 'context_management', 'metadata', 'cache_control', 'thread'],
    ...['service_tier', 'speed', 'inference_geo'],
  ],
  embeddings: ['model', 'input', 'encoding_format', 'dimensions', 'user', 'input_type', 'task', 'truncate'],
  images: [...IMAGES, 'style', 'moderation'],
  image_edits: [...IMAGES, 'image', 'images', 'mask'],
  image_variations: ['model', 'image', 'n', 'size', 'response_format', 'user'],
  speech: ['model', 'input', 'voice', 'instructions', 'response_format', 'speed', 'stream_format'],
  transcription: [
    ...['model', 'file', 'language', 'prompt', 'response_format', 'temperature', 'timestamp_granularities', 'stream'],
    ...['include', 'chunking_strategy'],
  ],
  audio_translation: ['model', 'file', 'prompt', 'response_format', 'temperature'],
  rerank: ['model', 'query', 'documents', 'top_n', 'top_k', 'return_documents', 'max_tokens_per_doc', 'rank_fields'],
  moderation: ['model', 'input'],
  gemini: [
    ...['model', 'stream', 'alt', 'contents', 'systemInstruction', 'system_instruction', 'tools'],
    ...['toolConfig', 'tool_config', 'safetySettings', 'safety_settings', 'generationConfig', 'generation_config'],
  ],
};
