// The input of a request as one model counts it: an estimate, which is billed when the upstream reports no usage, and an upper
// bound, which is held.

import { tokenizerFactor } from '../../vendors/claude.ts';
import type { InputCount } from './count-input.ts';
import { imagesAbove, imagesBeyond } from './image-tokens.ts';

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
  return Math.ceil(estimate * tokenizerFactor(model)) + imagesBeyond(images, model);
}

/** A few models bill far more for an image than others do, and a translation may write more than the client did. */
export function upperAt(input: InputCount, model: string, isTranslated: boolean): number {
  const { upper, images = [] } = input;
  const added = isTranslated ? (input.addedByTranslation ?? 0) : 0;
  return upper + imagesAbove(images, model) + added;
}
