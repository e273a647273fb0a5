// How upstreams deviate from the OpenAI format, as data: one row per name that a channel may give in `quirks`.
// Facts that are true of all upstreams are not here.

import type { Endpoint } from './endpoints.ts';

/** How to send a system message in the middle of a conversation: with this role, or as text of the user. */
export const MID_SYSTEM = ['system', 'developer', 'fold'] as const;

/** A path that an upstream may have elsewhere; `models` is its list of models. */
type MovablePath = Endpoint | 'models';

export type LimitField = 'max_tokens' | 'max_completion_tokens';

export interface Quirks {
  /** The header with our key. */
  auth: 'bearer' | 'api-key';
  /** Paths below the host, where they are not below the address of the channel. */
  hostPaths: Readonly<Partial<Record<MovablePath, string>>>;
  /** The field for the output limit. `by_model`: the older name, except for models that refuse it. */
  limitField: LimitField | 'by_model';
  midSystem: (typeof MID_SYSTEM)[number];
  /** Accepts `reasoning_effort`. */
  takesEffort: boolean;
  /** Effort values that differ from other upstreams, lowest first: the first matching name counts. */
  ownEfforts: readonly (readonly [name: RegExp, words: readonly string[]])[];
  /** The field for a model's reasoning of earlier turns; undefined: it is not sent back. */
  reasoningField: 'reasoning_content' | 'reasoning' | undefined;
  /** Refuses tool calls in a history without the thoughts before them, whichever model made them. */
  needsThoughts: boolean;
  /** Also sends reasoning as `reasoning_details`, and wants these back unchanged instead. */
  takesDetails: boolean;
  /** The output limit may exclude thinking of Qwen models, as with their vendor: thinking needs its own limit. */
  mayThinkBeside: boolean;
  /** Accepts `usage`, OpenRouter's request for usage figures. */
  takesUsageOption: boolean;
  /** `nine`: call ids are nine letters and digits. `forty`: they have at most forty characters. */
  callIds: 'any' | 'nine' | 'forty';
  /** Accepts only an assistant message right after tool results. */
  wantsAnswerToResults: boolean;
  /** Accepts `response_format` with a schema. */
  takesSchema: boolean;
  takesParallelFlag: boolean;
  /** Accepts files and audio as parts of a message. */
  takesFiles: boolean;
  /** Refuses newer models in chat, or their tools, but serves all of them in Responses. */
  favoursResponses: boolean;
  /** Has `/responses/compact`. */
  compacts: boolean;
  /** Its Whisper models have `verbose_json`, with the length of the recording. */
  verboseTranscripts: boolean;
  /** Settings that it refuses instead of ignoring. */
  refuses: readonly string[];
}

const DEFAULTS: Quirks = {
  auth: 'bearer',
  hostPaths: {},
  limitField: 'by_model',
  midSystem: 'fold',
  takesEffort: true,
  ownEfforts: [],
  reasoningField: undefined,
  needsThoughts: false,
  takesDetails: false,
  mayThinkBeside: true,
  takesUsageOption: false,
  callIds: 'any',
  wantsAnswerToResults: false,
  takesSchema: true,
  takesParallelFlag: true,
  takesFiles: false,
  favoursResponses: false,
  compacts: false,
  verboseTranscripts: false,
  refuses: [],
};

const GENERIC: Quirks = { ...DEFAULTS, limitField: 'max_tokens', mayThinkBeside: false };

const OPENAI: Quirks = {
  ...GENERIC,
  limitField: 'max_completion_tokens',
  midSystem: 'developer',
  callIds: 'forty',
  takesFiles: true,
  favoursResponses: true,
  compacts: true,
  verboseTranscripts: true,
};

/** Requires the reasoning of earlier turns. A channel with such quirks may also be a host of Qwen models. */
const THINKING_ECHOED: Quirks = {
  ...GENERIC,
  reasoningField: 'reasoning_content',
  needsThoughts: true,
  mayThinkBeside: true,
};

const NAMED = {
  openai: OPENAI,
  azure: { ...OPENAI, auth: 'api-key' },
  deepseek: {
    ...THINKING_ECHOED,
    takesEffort: false,
    takesSchema: false,
    refuses: ['seed', 'logit_bias', 'user'],
  },
  mistral: {
    ...GENERIC,
    takesEffort: false,
    callIds: 'nine',
    wantsAnswerToResults: true,
    refuses: [
      'seed',
      'logit_bias',
      'logprobs',
      'top_logprobs',
      'user',
      'service_tier',
      'verbosity',
      'prompt_cache_key',
    ],
  },
  xai: { ...GENERIC, refuses: ['verbosity', 'prompt_cache_key'] },
  groq: {
    ...GENERIC,
    ownEfforts: [[/^qwen/, ['none', 'default']]],
    reasoningField: 'reasoning',
    verboseTranscripts: true,
    refuses: ['logprobs', 'top_logprobs', 'logit_bias', 'verbosity', 'prompt_cache_key'],
  },
  openrouter: {
    ...GENERIC,
    reasoningField: 'reasoning',
    takesDetails: true,
    takesUsageOption: true,
    callIds: 'forty',
    takesFiles: true,
  },
  cohere: { ...GENERIC, hostPaths: { rerank: '/v2/rerank', models: '/v1/models' } },
  ollama: { ...GENERIC, reasoningField: 'reasoning', takesParallelFlag: false },
  vllm: { ...GENERIC, reasoningField: 'reasoning' },
  glm: THINKING_ECHOED,
  moonshot: { ...THINKING_ECHOED, ownEfforts: [[/^kimi-(?!k3)/, ['minimal', 'low', 'medium', 'high']]] },
} as const satisfies Record<string, Quirks>;

export type QuirksName = keyof typeof NAMED;
export const QUIRKS_NAMES = Object.keys(NAMED) as [QuirksName, ...QuirksName[]];

export function quirksOf(name: QuirksName | undefined): Quirks {
  return name === undefined ? DEFAULTS : NAMED[name];
}
