// What a model bills at most for an image, where that is more than most do: told by the model's name, by how closely the
// client wants it looked at, and by its size, where that is known.

import type { Json } from '../../kit/json/json.ts';
import { PER_IMAGE } from '../../kit/tokens.ts';
import type { SeenImage } from '../input/count-input.ts';
import { familyName } from './openai.ts';

interface Sight {
  /** How many tokens it is at most, whatever its size. */
  most: number;
  /** Squares of so many pixels a side are so many tokens; without these the size tells nothing. */
  patch?: { side: number; tokens: number };
  looksClosely(detail: Json | undefined): boolean;
}

const PATCH = { side: 32, tokens: 1.2 };
/** Marks around it. */
const BESIDE = 100;

const SIGHTS: readonly (readonly [name: RegExp, sight: Sight])[] = [
  // A base, and eight tiles.
  [/^gpt-4o-mini/, { most: 2_833 + 8 * 5_667, looksClosely: (detail) => detail !== 'low' }],
  [/^gpt-5\.[45](?!\d)/, { most: 12_000 + BESIDE, patch: PATCH, looksClosely: (detail) => detail === 'original' }],
  // Nothing is made smaller unless that is asked for.
  [/^gpt-(5\.([6-9]|\d\d)|[6-9])/, { most: 36_000 + BESIDE, patch: PATCH, looksClosely: isNotScaled }],
  [/qwen|qvq|glm/, { most: 16_384 + BESIDE, patch: { side: 28, tokens: 1 }, looksClosely: () => true }],
];

function isNotScaled(detail: Json | undefined): boolean {
  return detail !== 'low' && detail !== 'high';
}

/** `model`: its name at the upstream. */
export function imagesAbove(images: readonly SeenImage[], model: string): number {
  if (images.length === 0) return 0;
  const name = familyName(model);
  const sight = SIGHTS.find(([pattern]) => pattern.test(name))?.[1];
  return sight ? images.reduce((sum, image) => sum + Math.max(0, mostFor(image, sight) - PER_IMAGE.upper), 0) : 0;
}

function mostFor(image: SeenImage, { most, patch, looksClosely }: Sight): number {
  if (!looksClosely(image.detail)) return PER_IMAGE.upper;
  const seen = patch && image.size;
  if (!seen) return most;
  const patches = Math.ceil(seen.width / patch.side) * Math.ceil(seen.height / patch.side);
  return Math.min(most, Math.ceil(patches * patch.tokens) + BESIDE);
}
