// What a call asked for, for the text of a refusal.

import { FREE_MODEL } from '../catalog/document.ts';
import type { RequestedCost } from '../limits/smaller-request.ts';
import { feesInHold, fullHold, inputBounds } from './admit-input.ts';
import type { Call } from './call.ts';
import { mayUse } from './choose-model.ts';

export function requestedCost(call: Call): RequestedCost {
  const { model, endpoint, dialect, request, key } = call;
  const { boundName, choices, images, thinkingBudget, input } = request;
  const { prompt, brought } = inputBounds(call);
  return {
    endpoint,
    model: model.id,
    promptField: dialect.promptField,
    boundName,
    choices,
    images,
    thinkingBudget,
    hold: fullHold(call),
    fees: feesInHold(call),
    promptTokens: prompt,
    broughtTokens: brought,
    mayShorten: !input.isOpen,
    isBounded: request.maxOutputTokens !== undefined,
    freeModel: freeModelOf(call),
    keys: [key, ...key.ancestors],
  };
}

function freeModelOf({ catalog, key }: Call): string | undefined {
  const model = catalog.find(FREE_MODEL);
  return model?.free === true && mayUse(key, model) ? model.id : undefined;
}
