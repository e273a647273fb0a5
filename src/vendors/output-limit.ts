// The most output that an OpenAI model can write, for calls that take no output bound: a hold covers all of it. Limits are
// those of the vendor's pages for its models, as models.dev lists them.

import { byModel } from './by-model.ts';
import { OPENAI_MODELS } from './known-models.ts';
import { familyName } from './openai.ts';

const KNOWN: ReadonlyMap<string, number | undefined> = new Map(
  OPENAI_MODELS.map(({ id, upstreamModel = id, maxOutputTokens }) => [upstreamModel, maxOutputTokens]),
);

/** Other models of the vendor; the first match counts. A later generation is added once its limit is known. */
const FAMILIES: readonly (readonly [name: RegExp, tokens: number])[] = [
  [/^gpt-5-pro/, 272_000],
  [/^gpt-5(\.\d+)?-chat/, 16_384],
  [/^gpt-5\.3-codex-spark/, 32_000],
  [/^gpt-[56](?!\d)/, 128_000],
  [/^o1-mini/, 65_536],
  [/^o1-preview/, 32_768],
  [/^(o[134](-|$)|codex-mini)/, 100_000],
  [/^gpt-4\.1/, 32_768],
  [/^(chat)?gpt-4o/, 16_384],
];
/** The date of a snapshot, or the names of a fine-tuned model. */
const SUFFIX = /(-\d{4}-\d{2}-\d{2})?(:.*)?$/;

/** `model`: its name at the upstream. Undefined if its limit is unknown. */
export const outputLimitOf = byModel((model): number | undefined => {
  const name = familyName(model).replace(SUFFIX, '');
  return KNOWN.get(name) ?? FAMILIES.find(([pattern]) => pattern.test(name))?.[1];
});
