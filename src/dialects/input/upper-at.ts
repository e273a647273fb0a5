// The most input that one upstream's model counts: a few bill far more for an image than the others do, and a translation
// may write more than the client did.

import type { InputCount } from './count-input.ts';
import { imagesAbove } from './image-tokens.ts';

/** `model`: its name at the upstream. */
export function upperAt(input: InputCount, model: string, isTranslated: boolean): number {
  const { upper, images = [] } = input;
  const added = isTranslated ? (input.addedByTranslation ?? 0) : 0;
  return upper + imagesAbove(images, model) + added;
}
