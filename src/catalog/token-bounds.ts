// Token limits of one call; for a free model the lower ones of the guards.

import type { Catalog, Model } from './catalog.ts';

interface TokenBounds {
  input: number;
  output: number;
}

export function tokenBounds(model: Model, { guards }: Catalog): TokenBounds {
  const { contextTokens: input, maxOutputTokens: output } = model;
  if (!model.free) return { input, output };
  return {
    input: Math.min(input, guards.free_input_tokens ?? input),
    output: Math.min(output, guards.free_output_tokens ?? output),
  };
}
