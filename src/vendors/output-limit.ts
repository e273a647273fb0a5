// The most output that an OpenAI model can write, for calls that take no output bound.

import { byModel } from './by-model.ts';
import { OPENAI_MODELS } from './known-models.ts';
import { familyName } from './openai.ts';

const LIMITS: ReadonlyMap<string, number | undefined> = new Map(
  OPENAI_MODELS.map(({ id, upstreamModel = id, maxOutputTokens }) => [upstreamModel, maxOutputTokens]),
);
/** The date of a snapshot, or the names of a fine-tuned model. */
const SUFFIX = /(-\d{4}-\d{2}-\d{2})?(:.*)?$/;

/** `model`: its name at the upstream. Undefined if its limit is unknown. */
export const outputLimitOf = byModel((model): number | undefined => LIMITS.get(familyName(model).replace(SUFFIX, '')));
