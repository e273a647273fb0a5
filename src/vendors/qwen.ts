// Qwen models that think by default. Their vendor counts thinking beside the output limit, and only `thinking_budget`
// limits it.

import { byModel } from './by-model.ts';
import { familyName } from './openai.ts';

/** Thinking by default. `unless_refused`: `enable_thinking: false` turns it off. */
export type DefaultThinking = 'always' | 'unless_refused';

const ALWAYS = /\bq[wv]q\b|\bqwen.*-thinking/;
const VERSION = /\bqwen-?(\d+(?:\.\d+)?)/;
const NEVER = /instruct|coder|embed|rerank/;
/** Qwen 3 models that think only on request. */
const ON_REQUEST = /-(max|plus|flash|turbo|omni)/;

/** Undefined: no thinking by default. `model`: its name at the upstream. */
export const qwenThinking = byModel((model): DefaultThinking | undefined => {
  const name = familyName(model);
  if (ALWAYS.test(name)) return 'always';
  const version = Number(VERSION.exec(name)?.[1] ?? 0);
  const isPlain = NEVER.test(name) || (version < 3.5 && ON_REQUEST.test(name));
  return version >= 3 && !isPlain ? 'unless_refused' : undefined;
});
