// The most input that one upstream's model counts: a few bill far more for an image than the others do.

import { PER_IMAGE } from '../../kit/tokens.ts';
import { modelTraits } from '../openai-chat/model-traits.ts';
import type { InputCount } from './count-input.ts';

/** `model`: its name at the upstream. */
export function upperAt({ upper, detailedImages = 0 }: InputCount, model: string): number {
  if (detailedImages === 0) return upper;
  const { mostImageTokens = PER_IMAGE.upper } = modelTraits(model);
  return upper + detailedImages * (mostImageTokens - PER_IMAGE.upper);
}
