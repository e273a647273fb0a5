// The most input that one upstream's model counts: a few bill far more for an image than the others do.

import { imagesAbove } from '../traits/image-tokens.ts';
import type { InputCount } from './count-input.ts';

/** `model`: its name at the upstream. */
export function upperAt({ upper, images = [] }: InputCount, model: string): number {
  return upper + imagesAbove(images, model);
}
