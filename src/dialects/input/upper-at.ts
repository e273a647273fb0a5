// The most input that one upstream's model counts: a few bill far more for an image than the others do.

import type { InputCount } from './count-input.ts';
import { imagesAbove } from './image-tokens.ts';

/** `model`: its name at the upstream. */
export function upperAt({ upper, images = [] }: InputCount, model: string): number {
  return upper + imagesAbove(images, model);
}
