// The input to bill when the upstream reported no usage.

import type { InputCount } from './count-input.ts';

/**
 * Open input is billed as it was held, at the model's context: any smaller figure would come from bytes that the client
 * chooses, so a file at an address followed by a hang-up would cost next to nothing. Tools that the upstream may have run
 * add nothing: without a report there is no sign that one ran.
 */
export function estimatedInput(input: InputCount, contextTokens: number): number {
  return input.isOpen ? contextTokens : input.estimate;
}
