// What a model bills at most for an image, where that is more than most do: known by the model's name, by how closely the
// client wants it looked at, and by its size, where that is known.

import type { ImageSize } from '../../kit/image-size.ts';
import type { Json } from '../../kit/json/json.ts';
import { imageTokens } from '../../kit/media-tokens.ts';
import { PER_IMAGE } from '../../kit/tokens.ts';
import { familyName } from '../../vendors/openai.ts';
import type { SeenImage } from './count-input.ts';

interface Sight {
  /** How many tokens it is at most, whatever its size. */
  most: number;
  /** Tokens for each square of so many pixels a side; without this the size does not matter. */
  patch?: { side: number; tokens: number };
  /** Without these: a base, and squares of an image that is made smaller first. */
  tiles?: { base: number; tokens: number };
  looksClosely(detail: Json | undefined): boolean;
}

const PATCH = { side: 32, tokens: 1.2 };
const MINI_TILES = { base: 2_833, tokens: 5_667 };
/** Tokens of an image whose size is unknown. */
const TYPICAL_SIZE: ImageSize = { width: 1_024, height: 1_024 };
/** Marks around it. */
const BESIDE = 100;

const SIGHTS: readonly (readonly [name: RegExp, sight: Sight])[] = [
  // A base, and eight tiles.
  [/^gpt-4o-mini/, { most: 2_833 + 8 * 5_667, tiles: MINI_TILES, looksClosely: (detail) => detail !== 'low' }],
  [/^gpt-5\.[45](?!\d)/, { most: 12_000 + BESIDE, patch: PATCH, looksClosely: (detail) => detail === 'original' }],
  // Nothing is made smaller unless that is asked for.
  [/^gpt-(5\.([6-9]|\d\d)|[6-9])/, { most: 36_000 + BESIDE, patch: PATCH, looksClosely: isNotScaled }],
  [/qwen|qvq|glm/, { most: 16_384 + BESIDE, patch: { side: 28, tokens: 1 }, looksClosely: () => true }],
];

function isNotScaled(detail: Json | undefined): boolean {
  return detail !== 'low' && detail !== 'high';
}

/** The most tokens of the images beyond `PER_IMAGE`. `model`: its name at the upstream. */
export function imagesAbove(images: readonly SeenImage[], model: string): number {
  const sight = images.length > 0 ? sightOf(model) : undefined;
  return sight ? images.reduce((sum, image) => sum + Math.max(0, mostFor(image, sight) - PER_IMAGE.upper), 0) : 0;
}

/** About what they are beyond the estimate for common models. */
export function imagesBeyond(images: readonly SeenImage[], model: string): number {
  const sight = images.length > 0 ? sightOf(model) : undefined;
  if (!sight) return 0;
  return images.reduce((sum, image) => sum + Math.max(0, typicalFor(image, sight) - imageTokens(image.size)), 0);
}

function sightOf(model: string): Sight | undefined {
  const name = familyName(model);
  return SIGHTS.find(([pattern]) => pattern.test(name))?.[1];
}

function mostFor(image: SeenImage, { most, patch, looksClosely }: Sight): number {
  if (!looksClosely(image.detail)) return PER_IMAGE.upper;
  const seen = patch && image.size;
  return seen ? Math.min(most, patchTokens(seen, patch) + BESIDE) : most;
}

function typicalFor({ detail, size = TYPICAL_SIZE }: SeenImage, { most, patch, tiles, looksClosely }: Sight): number {
  if (!looksClosely(detail)) return tiles?.base ?? 0;
  if (tiles) return tiles.base + tiles.tokens * tilesOf(size);
  return patch ? Math.min(most, patchTokens(size, patch)) : 0;
}

function patchTokens({ width, height }: ImageSize, { side, tokens }: { side: number; tokens: number }): number {
  return Math.ceil(Math.ceil(width / side) * Math.ceil(height / side) * tokens);
}

/** Of 512 pixels a side, after the image was made to fit 2,048 pixels and its shorter side 768. */
function tilesOf({ width, height }: ImageSize): number {
  const fit = Math.min(1, 2_048 / Math.max(width, height));
  const scale = fit * Math.min(1, 768 / (Math.min(width, height) * fit));
  return Math.ceil((width * scale) / 512) * Math.ceil((height * scale) / 512);
}
