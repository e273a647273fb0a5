// How upstreams that speak the OpenAI format differ from it, as data: one row for each name that a channel may give in
// `quirks`. What is true of all of them is not here.

/** What becomes of a system message in the middle of a conversation: its role there, or text of the user's. */
export const MID_SYSTEM = ['system', 'developer', 'fold'] as const;

export type LimitField = 'max_tokens' | 'max_completion_tokens';

export interface Quirks {
  /** The header that bears our key. */
  auth: 'bearer' | 'api-key';
  /** What the output bound is called. `by_model`: every upstream knows the older name, but for models that refuse it. */
  limitField: LimitField | 'by_model';
  midSystem: (typeof MID_SYSTEM)[number];
  /** Takes `reasoning_effort`. */
  takesEffort: boolean;
  /** The words for it, from the least, that some models take here and elsewhere not: the first whose name fits. */
  ownEfforts: readonly (readonly [name: RegExp, words: readonly string[]])[];
  /** Where a model finds its own reasoning of earlier turns; undefined: it does not want it back. */
  reasoningField: 'reasoning_content' | 'reasoning' | undefined;
  /** Refuses calls in a history that come without the thoughts before them, whichever model had these. */
  needsThoughts: boolean;
  /** Tells reasoning as `reasoning_details` too, and wants these back instead, as they were. */
  takesDetails: boolean;
  /** The output bound may not count thinking of Qwen's models, as with their vendor: it needs a bound of its own. */
  mayThinkBeside: boolean;
  /** Takes `usage`, OpenRouter's way to ask for it. */
  takesUsageWish: boolean;
  /** `nine`: ids of calls are nine letters and digits. `forty`: they have at most forty characters. */
  callIds: 'any' | 'nine' | 'forty';
  /** Lets nobody but the assistant speak right after results of tools. */
  wantsAnswerToResults: boolean;
  /** Takes `response_format` with a schema. */
  takesSchema: boolean;
  takesParallelFlag: boolean;
  /** Takes files and sound as parts of a message. */
  takesFiles: boolean;
  /** Refuses newer models in chat, or tools for them, and serves all of them in Responses. */
  favoursResponses: boolean;
  /** Settings it refuses instead of ignoring. */
  refuses: readonly string[];
}

const NAMELESS: Quirks = {
  auth: 'bearer',
  limitField: 'by_model',
  midSystem: 'fold',
  takesEffort: true,
  ownEfforts: [],
  reasoningField: undefined,
  needsThoughts: false,
  takesDetails: false,
  mayThinkBeside: true,
  takesUsageWish: false,
  callIds: 'any',
  wantsAnswerToResults: false,
  takesSchema: true,
  takesParallelFlag: true,
  takesFiles: false,
  favoursResponses: false,
  refuses: [],
};

const GENERIC: Quirks = { ...NAMELESS, limitField: 'max_tokens', mayThinkBeside: false };

const OPENAI: Quirks = {
  ...GENERIC,
  limitField: 'max_completion_tokens',
  midSystem: 'developer',
  callIds: 'forty',
  takesFiles: true,
  favoursResponses: true,
};

/** Other hosts of thinking models want the same of a history, so Qwen's own may have such a name as well. */
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
    refuses: ['logprobs', 'top_logprobs', 'logit_bias', 'verbosity', 'prompt_cache_key'],
  },
  openrouter: {
    ...GENERIC,
    reasoningField: 'reasoning',
    takesDetails: true,
    takesUsageWish: true,
    callIds: 'forty',
    takesFiles: true,
  },
  ollama: { ...GENERIC, reasoningField: 'reasoning', takesParallelFlag: false },
  vllm: { ...GENERIC, reasoningField: 'reasoning' },
  glm: THINKING_ECHOED,
  moonshot: { ...THINKING_ECHOED, ownEfforts: [[/^kimi-(?!k3)/, ['minimal', 'low', 'medium', 'high']]] },
} as const satisfies Record<string, Quirks>;

export type QuirksName = keyof typeof NAMED;
export const QUIRKS_NAMES = Object.keys(NAMED) as [QuirksName, ...QuirksName[]];

export function quirksOf(name: QuirksName | undefined): Quirks {
  return name === undefined ? NAMELESS : NAMED[name];
}
