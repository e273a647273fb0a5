// Every top-level field of a request that can change what an upstream bills, and what the gateway does with it. A field
// that could make the bill exceed the hold is dropped; a new one of a vendor needs a row here and nothing else.

import type { Json } from '../../kit/json/json.ts';
import { ENDPOINTS, type Endpoint } from '../../vendors/endpoints.ts';
import { isEmptySetting } from '../fields.ts';

type FieldRule =
  /** The gateway writes it itself, whatever the client sent. */
  | 'set'
  /** The gateway reads it. The hold covers all that it can cost. */
  | 'held'
  /** A search of the web: on paid models the hold covers what it finds; free models do not get it. */
  | 'searched'
  /** Parts of it are checked, and removed if the hold does not cover them. */
  | 'checked'
  /** It selects among outputs of one model. The operator's price of the model has to cover the dearest. */
  | 'priced'
  /** The request is refused if the field asks for something. */
  | 'refused'
  /** It is removed and named in `x-svc-dropped`, unless its value is harmless. */
  | 'dropped';

export interface PricedField {
  name: string;
  rule: FieldRule;
  why: string;
  /** Formats in which the rule holds; all of them if left out. */
  in?: readonly Endpoint[];
  /** Values that never cost more than leaving the field out. Null, false and empty values are harmless anyway. */
  harmless?: ReadonlySet<Json>;
}

/** OpenAI's tiers that never cost more than the standard one. */
export const PLAIN_TIERS: ReadonlySet<Json> = new Set(['auto', 'default', 'flex']);

const CHAT = ['chat'] as const;
const RESPONSES = ['responses'] as const;
const MESSAGES = ['messages'] as const;
const IMAGES = ['images', 'image_edits', 'image_variations'] as const;
const TRANSCRIPTS = ['transcription', 'audio_translation'] as const;
const SPEECH = ['speech'] as const;
const RERANK = ['rerank'] as const;
const OTHERS = ['speech', 'rerank', 'moderation'] as const;
/** Formats in which `background` is not the color behind an image. */
const WITHOUT_IMAGES = ['chat', 'messages', 'embeddings', ...OTHERS, ...TRANSCRIPTS] as const;
/** Formats without an output bound. */
const WHOLE = ['embeddings', ...IMAGES, ...OTHERS, ...TRANSCRIPTS] as const;

export const PRICED_FIELDS: readonly PricedField[] = [
  // The model that answers, and its service.
  { name: 'model', rule: 'set', why: 'the name of the model at the upstream' },
  { name: 'stream', rule: 'held', why: 'decides how the answer and its usage are read' },
  { name: 'stream_options', rule: 'set', in: CHAT, why: 'usage is always asked for' },
  { name: 'usage', rule: 'checked', in: CHAT, why: 'OpenRouter: asks for usage; sent to OpenRouter alone' },
  { name: 'store', rule: 'set', in: RESPONSES, why: 'always false: stored answers could be continued without us' },
  { name: 'models', rule: 'dropped', why: 'other models to try; the caller’s own routing is taken out before' },
  { name: 'route', rule: 'dropped', why: 'OpenRouter: how to choose among models' },
  { name: 'preset', rule: 'dropped', why: 'OpenRouter: a stored request with a model of its own' },
  { name: 'provider', rule: 'dropped', why: 'OpenRouter: what of it is no routing of ours, which is taken out before' },
  { name: 'plugins', rule: 'dropped', why: 'OpenRouter: searches and file parsers with fees' },
  { name: 'fallbacks', rule: 'dropped', why: 'other models to try' },
  { name: 'adapter_id', rule: 'dropped', why: 'TGI: another fine-tuned model' },
  { name: 'lora', rule: 'dropped', why: 'llama.cpp: another fine-tuned model' },
  { name: 'lora_path', rule: 'dropped', why: 'SGLang: another fine-tuned model' },
  { name: 'safety_model', rule: 'dropped', why: 'Together: a second model checks the answer' },
  { name: 'multi_agent', rule: 'dropped', why: 'several agents work on one answer' },
  { name: 'agent_count', rule: 'dropped', why: 'several agents work on one answer' },
  { name: 'num_retries', rule: 'dropped', why: 'LiteLLM: asks the model again' },
  { name: 'kv_transfer_params', rule: 'dropped', why: 'vLLM: names other servers' },
  { name: 'bootstrap_host', rule: 'dropped', why: 'SGLang: names another server' },
  { name: 'extra_body', rule: 'dropped', why: 'Gemini, LiteLLM: may hold any other field, and cached input' },

  // The rate of a token.
  {
    ...{ name: 'service_tier', rule: 'dropped', harmless: new Set([...PLAIN_TIERS, 'standard_only']) },
    why: 'dearer tiers; it passes if the price of the model lists the tier',
  },
  {
    ...{ name: 'speed', rule: 'dropped', harmless: new Set(['standard']), why: 'Anthropic: the fast mode is dearer' },
    in: ENDPOINTS.filter((endpoint) => endpoint !== 'speech'),
  },
  { name: 'speed', rule: 'held', in: SPEECH, why: 'slow speech is more audio: the hold is for the slowest' },
  { name: 'stream_format', rule: 'checked', in: SPEECH, why: 'only events report usage' },
  { name: 'inference_geo', rule: 'dropped', harmless: new Set(['global']), why: 'Anthropic: regions are dearer' },
  { name: 'priority', rule: 'dropped', why: 'vLLM: served before the requests of others' },
  { name: 'caching', rule: 'dropped', why: 'Volcengine, LiteLLM: storage with a fee' },
  { name: 'cache_control', rule: 'held', why: 'the hold takes the dearest price of input, cache writes included' },
  { name: 'prompt_cache_retention', rule: 'held', why: 'OpenAI: costs nothing; cached input is cheaper' },
  { name: 'prompt_cache_options', rule: 'held', why: 'OpenAI: writes for 12 hours are dearer' },
  { name: 'modalities', rule: 'priced', in: CHAT, why: 'audio and images have other rates than text' },
  { name: 'audio', rule: 'priced', in: CHAT, why: 'audio has another rate than text' },
  { name: 'image_config', rule: 'priced', in: CHAT, why: 'OpenRouter: large images are more tokens' },
  { name: 'quality', rule: 'priced', in: IMAGES, why: 'a better image is more tokens' },
  { name: 'input_fidelity', rule: 'priced', in: IMAGES, why: 'an image read in detail is more tokens' },
  { name: 'size', rule: 'priced', in: IMAGES, why: 'a larger image is more tokens' },
  { name: 'partial_images', rule: 'priced', in: IMAGES, why: 'at most 3, of about 100 tokens each' },

  // How many tokens may be generated.
  { name: 'max_tokens', rule: 'set', in: ['chat', 'messages'], why: 'the output bound that is held' },
  { name: 'max_completion_tokens', rule: 'set', in: CHAT, why: 'the output bound that is held' },
  { name: 'max_output_tokens', rule: 'set', in: RESPONSES, why: 'the output bound that is held' },
  { name: 'max_tokens', rule: 'dropped', in: ['responses', ...WHOLE], why: 'a second output bound' },
  {
    ...{ name: 'max_completion_tokens', rule: 'dropped', why: 'a second output bound' },
    in: ['responses', 'messages', ...WHOLE],
  },
  { name: 'max_output_tokens', rule: 'dropped', in: ['chat', 'messages', ...WHOLE], why: 'a second output bound' },
  { name: 'n_predict', rule: 'dropped', why: 'llama.cpp: overrides max_tokens' },
  { name: 'num_predict', rule: 'dropped', why: 'Ollama: overrides max_tokens' },
  { name: 'max_new_tokens', rule: 'dropped', why: 'TGI, SGLang: an output bound of their own' },
  { name: 'max_length', rule: 'dropped', why: 'Hugging Face: an output bound of its own' },
  { name: 'max_tokens_to_sample', rule: 'dropped', why: 'Anthropic: the output bound of older models' },
  {
    ...{ name: 'generation_config', rule: 'dropped', why: 'Gemini: holds an output bound and a number of candidates' },
    in: ENDPOINTS.filter((endpoint) => endpoint !== 'gemini'),
  },
  { name: 'options', rule: 'dropped', why: 'Ollama: holds num_predict and num_ctx' },
  { name: 'min_tokens', rule: 'held', in: CHAT, why: 'vLLM, Mistral: never above max_tokens' },
  { name: 'ignore_eos', rule: 'held', in: CHAT, why: 'vLLM: generates up to max_tokens, which is held' },
  { name: 'prompt_logprobs', rule: 'dropped', why: 'vLLM: an answer of any size, with values for each token of input' },
  { name: 'logits_processors', rule: 'dropped', why: 'vLLM: code that runs at the upstream' },
  { name: 'n', rule: 'held', why: 'the hold is for n answers' },
  { name: 'best_of', rule: 'held', in: CHAT, why: 'the hold is for best_of answers' },
  { name: 'use_beam_search', rule: 'held', in: CHAT, why: 'vLLM: as many beams as n or best_of' },
  { name: 'n_cmpl', rule: 'dropped', why: 'llama.cpp: overrides n' },
  { name: 'num_beams', rule: 'dropped', why: 'Hugging Face: several answers are generated' },
  { name: 'num_return_sequences', rule: 'dropped', why: 'Hugging Face: several answers are returned' },
  { name: 'num_completions', rule: 'dropped', why: 'several answers are generated' },
  { name: 'candidate_count', rule: 'dropped', why: 'Gemini: several answers are generated' },

  // Reasoning, which is output.
  { name: 'thinking', rule: 'checked', why: 'budget_tokens stays below the output bound' },
  { name: 'reasoning', rule: 'checked', why: 'max_tokens stays below the output bound; mode is removed' },
  { name: 'reasoning_effort', rule: 'held', why: 'reasoning is inside the output bound' },
  { name: 'output_config', rule: 'held', in: MESSAGES, why: 'reasoning is inside the output bound' },
  { name: 'thinking_budget', rule: 'checked', in: CHAT, why: 'Qwen: beside max_tokens, so both share the bound' },
  { name: 'enable_thinking', rule: 'checked', in: CHAT, why: 'Qwen: thinks beside max_tokens: both share the bound' },

  // Fields that are read as input.
  ...['messages', 'input', 'prompt', 'system', 'instructions', 'functions', 'response_format', 'text'].map(
    (name): PricedField => ({ name, rule: 'held', why: 'its tokens are counted' }),
  ),
  ...['query', 'documents', 'max_tokens_per_doc'].map(
    (name): PricedField => ({ name, rule: 'held', in: RERANK, why: 'its tokens are counted' }),
  ),
  { name: 'return_documents', rule: 'set', in: RERANK, why: 'documents are added here' },
  { name: 'rank_fields', rule: 'set', in: RERANK, why: 'only the texts that it names are sent' },
  { name: 'tools', rule: 'checked', why: 'tools of the upstream bring input and have fees' },
  { name: 'tool_choice', rule: 'checked', why: 'may name a tool that is removed' },
  { name: 'max_tool_calls', rule: 'held', in: RESPONSES, why: 'how often tools of the upstream run; set if left out' },
  { name: 'function_call', rule: 'held', in: CHAT, why: 'the older name of tool_choice' },
  { name: 'mcp_servers', rule: 'held', in: MESSAGES, why: 'the hold is for a context each of 5 times' },
  { name: 'container', rule: 'held', in: MESSAGES, why: 'useless without a tool, which has a hold of its own' },
  { name: 'web_search_options', rule: 'searched', in: CHAT, why: 'OpenAI, Perplexity' },
  { name: 'search_parameters', rule: 'searched', in: CHAT, why: 'xAI' },
  { name: 'enable_search', rule: 'searched', in: CHAT, why: 'Qwen' },
  { name: 'web_search', rule: 'searched', in: CHAT, why: 'Qianfan' },
  { name: 'search_options', rule: 'checked', in: CHAT, why: 'Qwen: search_strategy sets the fee of a search' },
  { name: 'enable_enhancement', rule: 'dropped', why: 'Hunyuan: a search of the web' },
  { name: 'force_search_enhancement', rule: 'dropped', why: 'Hunyuan: a search of the web' },
  { name: 'enable_deep_search', rule: 'dropped', why: 'several searches of the web' },
  { name: 'data_sources', rule: 'dropped', why: 'Azure: input of unknown size from a search service' },
  { name: 'vector_store_ids', rule: 'dropped', why: 'LiteLLM: input of unknown size from stored files' },
  { name: 'compound_custom', rule: 'dropped', why: 'Groq: chooses models and tools of a compound system' },
  { name: 'enable_code_interpreter', rule: 'dropped', why: 'Qwen: runs code, whose results are input' },
  { name: 'cached_content', rule: 'dropped', why: 'Gemini: input of unknown size that is stored at the upstream' },
  { name: 'chat_template', rule: 'dropped', why: 'vLLM: a program that can write a prompt of any length' },
  { name: 'chat_template_kwargs', rule: 'checked', in: CHAT, why: 'vLLM: plain arguments pass, a template does not' },
  { name: 'mm_processor_kwargs', rule: 'dropped', why: 'vLLM: more tokens for each image' },
  { name: 'media_io_kwargs', rule: 'dropped', why: 'vLLM: more frames of each video' },
  { name: 'vl_high_resolution_images', rule: 'held', in: CHAT, why: 'Qwen: the hold is for images of this size' },
  { name: 'context_management', rule: 'checked', why: 'a compaction is work beside the answer' },
  { name: 'transforms', rule: 'held', in: CHAT, why: 'OpenRouter: only shortens the prompt' },
  { name: 'truncation', rule: 'held', in: RESPONSES, why: 'only shortens the prompt' },

  // Work that is billed, but not delivered with this answer.
  { name: 'deferred', rule: 'dropped', why: 'xAI: the answer is fetched later, and its usage never seen here' },
  { name: 'background', rule: 'refused', in: RESPONSES, why: 'the answer is fetched later' },
  { name: 'background', rule: 'dropped', in: WITHOUT_IMAGES, why: 'the answer is fetched later' },
  { name: 'previous_response_id', rule: 'refused', in: RESPONSES, why: 'stored input of unknown size' },
  { name: 'conversation', rule: 'refused', in: RESPONSES, why: 'stored input of unknown size' },
  { name: 'thread', rule: 'refused', in: MESSAGES, why: 'stored input of unknown size' },
  { name: 'prediction', rule: 'dropped', why: 'OpenAI: rejected tokens of it are billed as output' },
  { name: 'keep_alive', rule: 'dropped', why: 'Ollama: keeps a model in memory, for ever if asked' },
];

/** Those that a chat counts. */
export const SEARCH_FIELDS: readonly string[] = PRICED_FIELDS.filter(({ rule }) => rule === 'searched').map(
  ({ name }) => name,
);

export function isHarmless({ harmless }: PricedField, value: Json | undefined): boolean {
  return !isMeaningful(value) || value === false || harmless?.has(value) === true;
}

export function isMeaningful(value: Json | undefined): value is Json {
  return value !== undefined && value !== null && !isEmptySetting(value);
}
