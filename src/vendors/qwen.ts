// Which models of Qwen think though the request does not ask for it. Its vendor counts thinking beside the output bound, and
// only `thinking_budget` limits it.

import { familyName } from './openai.ts';

/** Thinking without being asked. `unless_refused`: `enable_thinking: false` turns it off. */
export type UnaskedThinking = 'always' | 'unless_refused';

const ALWAYS = /\bq[wv]q\b|\bqwen.*-thinking/;
const VERSION = /\bqwen-?(\d+(?:\.\d+)?)/;
const NEVER = /instruct|coder|embed|rerank/;
/** Of Qwen 3, those that think only if they are asked to. */
const IF_ASKED = /-(max|plus|flash|turbo|omni)/;

/** Undefined: this model does not think unasked. `model`: its name at the upstream. */
export function qwenThinking(model: string): UnaskedThinking | undefined {
  const name = familyName(model);
  if (ALWAYS.test(name)) return 'always';
  const version = Number(VERSION.exec(name)?.[1] ?? 0);
  const isPlain = NEVER.test(name) || (version < 3.5 && IF_ASKED.test(name));
  return version >= 3 && !isPlain ? 'unless_refused' : undefined;
}
