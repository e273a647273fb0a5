// The input of a request as one model counts it: an estimate, which is billed when the upstream reports no usage, and an upper
// bound, which is held.

import type { ImageSize } from '../../kit/image-size.ts';
import type { Json } from '../../kit/json/json.ts';
import { imageTokens } from '../../kit/media-tokens.ts';
import { PER_IMAGE } from '../../kit/tokens.ts';
import { tokenizerFactor } from '../../vendors/claude.ts';
import { familyName } from '../../vendors/openai.ts';
import type { InputCount, SeenImage } from './count-input.ts';

interface Model {
  contextTokens: number;
  routes: readonly { model: string }[];
}

/**
 * Open input is billed as it was held, at the model's context: any smaller figure would come from bytes that the client
 * chooses, so a file at an address followed by a hang-up would cost next to nothing. `toolInput`: what tools of the upstream
 * brought, by the calls that the answer shows.
 */
export function estimatedInput(input: InputCount, model: Model, toolInput = 0): number {
  const prompt = input.isOpen ? model.contextTokens : estimateAt(input, model.routes[0]?.model ?? '');
  return prompt + toolInput;
}

/** `model`: its name at the upstream. */
export function estimateAt({ estimate, images = [] }: InputCount, model: string): number {
  const beyond = sumImages(images, model, (image, rule) => typicalTokensOf(image, rule) - imageTokens(image.size));
  return Math.ceil(estimate * tokenizerFactor(model)) + beyond;
}

/** A few models bill far more for an image than others do, and a translation may write more than the client did. */
export function upperAt(input: InputCount, model: string, isTranslated: boolean): number {
  const { upper, images = [] } = input;
  const added = isTranslated ? (input.addedByTranslation ?? 0) : 0;
  return upper + sumImages(images, model, (image, rule) => maxTokensOf(image, rule) - PER_IMAGE.upper) + added;
}

interface ImageRule {
  /** The most tokens of an image of any size. */
  maxTokens: number;
  /** Tokens for each square of so many pixels a side; without this the size does not matter. */
  patch?: { side: number; tokens: number };
  /** Without `patch`: a base, and tokens for each tile of the scaled image. */
  tiles?: { base: number; tokens: number };
  isFullDetail(detail: Json | undefined): boolean;
}

const PATCH = { side: 32, tokens: 1.2 };
const MINI_TILES = { base: 2_833, tokens: 5_667 };
/** Tokens of an image whose size is unknown. */
const TYPICAL_SIZE: ImageSize = { width: 1_024, height: 1_024 };
/** Tokens of the markers around an image. */
const MARKER_TOKENS = 100;

const IMAGE_RULES: readonly (readonly [name: RegExp, rule: ImageRule])[] = [
  // A base, and eight tiles.
  [/^gpt-4o-mini/, { maxTokens: 2_833 + 8 * 5_667, tiles: MINI_TILES, isFullDetail: (detail) => detail !== 'low' }],
  [
    /^gpt-5\.[45](?!\d)/,
    { maxTokens: 12_000 + MARKER_TOKENS, patch: PATCH, isFullDetail: (detail) => detail === 'original' },
  ],
  // Images are not scaled down unless the request asks for it.
  [/^gpt-(5\.([6-9]|\d\d)|[6-9])/, { maxTokens: 36_000 + MARKER_TOKENS, patch: PATCH, isFullDetail: isNotScaled }],
  [/qwen|qvq|glm/, { maxTokens: 16_384 + MARKER_TOKENS, patch: { side: 28, tokens: 1 }, isFullDetail: () => true }],
];

function isNotScaled(detail: Json | undefined): boolean {
  return detail !== 'low' && detail !== 'high';
}

/** The tokens of the images above those of common models. `model`: its name at the upstream. */
function sumImages(
  images: readonly SeenImage[],
  model: string,
  tokensAbove: (image: SeenImage, rule: ImageRule) => number,
): number {
  if (images.length === 0) return 0;
  const name = familyName(model);
  const rule = IMAGE_RULES.find(([pattern]) => pattern.test(name))?.[1];
  return rule ? images.reduce((sum, image) => sum + Math.max(0, tokensAbove(image, rule)), 0) : 0;
}

function maxTokensOf(image: SeenImage, { maxTokens, patch, isFullDetail }: ImageRule): number {
  if (!isFullDetail(image.detail)) return PER_IMAGE.upper;
  const seen = patch && image.size;
  return seen ? Math.min(maxTokens, patchTokens(seen, patch) + MARKER_TOKENS) : maxTokens;
}

function typicalTokensOf(
  { detail, size = TYPICAL_SIZE }: SeenImage,
  { maxTokens, patch, tiles, isFullDetail }: ImageRule,
): number {
  if (!isFullDetail(detail)) return tiles?.base ?? 0;
  if (tiles) return tiles.base + tiles.tokens * tilesOf(size);
  return patch ? Math.min(maxTokens, patchTokens(size, patch)) : 0;
}

function patchTokens({ width, height }: ImageSize, { side, tokens }: { side: number; tokens: number }): number {
  return Math.ceil(Math.ceil(width / side) * Math.ceil(height / side) * tokens);
}

/** Number of tiles of 512 x 512 pixels, after the image was scaled to fit 2,048 pixels, and its shorter side 768. */
function tilesOf({ width, height }: ImageSize): number {
  const fit = Math.min(1, 2_048 / Math.max(width, height));
  const scale = fit * Math.min(1, 768 / (Math.min(width, height) * fit));
  return Math.ceil((width * scale) / 512) * Math.ceil((height * scale) / 512);
}
