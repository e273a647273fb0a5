// The models that may answer a call: the one it names, then those of its fallbacks that this key may use, that serve the
// same endpoint, and that take a prompt of this length.

import type { Model } from '../catalog/catalog.ts';
import { canReach } from '../dialects/carry.ts';
import { mayFit } from '../dialects/count-input.ts';
import type { Call } from './call.ts';
import { mayUse } from './choose-model.ts';

/** Empty if the prompt is too long for all of them. */
export function candidateModels(call: Call): Model[] {
  const { model, catalog, key, dialect } = call;
  const takes = ({ contextTokens }: Model) => mayFit(call.request.input, contextTokens);
  if (model.fallbacks.length === 0) return takes(model) ? [model] : [];
  const fallbacks = model.fallbacks.flatMap((id) => {
    const fallback = catalog.find(id);
    return fallback && mayUse(key, fallback) && fallback.kinds.some((kind) => model.kinds.includes(kind))
      ? [fallback]
      : [];
  });
  return [
    model,
    ...fallbacks.filter(({ routes }) => routes.some(({ channel }) => canReach(dialect, channel.endpoints))),
  ].filter(takes);
}
