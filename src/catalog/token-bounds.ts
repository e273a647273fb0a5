// How many tokens one call of a model may have: of a free model no more than the guards let through, wherever it is told.

import type { Catalog, Model } from './catalog.ts';

export interface TokenBounds {
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
