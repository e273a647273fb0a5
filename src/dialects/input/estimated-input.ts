// The input to bill when the upstream reported no usage.

import { tokenizerFactor } from '../../vendors/tokenizer-factor.ts';
import type { InputCount } from './count-input.ts';
import { imagesBeyond } from './image-tokens.ts';

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

/** What a model makes of it, by its name at the upstream. */
export function estimateAt({ estimate, images = [] }: InputCount, model: string): number {
  return Math.ceil(estimate * tokenizerFactor(model)) + imagesBeyond(images, model);
}
