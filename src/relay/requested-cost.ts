// The cost of a refused call, for the text of its fault.

import { FREE_MODEL } from '../catalog/document.ts';
import { isSessionName, SESSION_HEADER } from '../dialects/conversation-name.ts';
import type { RequestedCost } from '../limits/smaller-request.ts';
import { feesInHold, fullHold, inputBounds } from './admit-input.ts';
import type { Call } from './call.ts';
import { mayUse } from './choose-model.ts';

export function requestedCost(call: Call): RequestedCost {
  const { model, endpoint, dialect, request, key } = call;
  const { boundName, choices, images, thinkingBudget, input } = request;
  const { prompt, addedByTools } = inputBounds(call);
  return {
    endpoint,
    model: model.id,
    promptField: dialect.request.promptField,
    headers: sessionHeader(call),
    boundName,
    choices,
    images,
    units: unitsIn(request),
    thinkingBudget,
    hold: fullHold(call),
    fees: feesInHold(call),
    promptTokens: prompt,
    broughtTokens: addedByTools,
    mayShorten: !input.isOpen,
    isBounded: request.maxOutputTokens !== undefined,
    freeModel: freeModelOf(call),
    keys: [key, ...key.ancestors],
  };
}

/** Other counted units than tokens and images, in words. */
function unitsIn({ seconds = 0, characters = 0, searches = 0 }: Call['request']): string[] {
  const named = Object.entries({ second: seconds, character: characters, search: searches });
  return named.flatMap(([unit, count]) => (count > 0 ? [`${count} ${count === 1 ? unit : PLURALS[unit]}`] : []));
}

const PLURALS: Readonly<Record<string, string>> = { second: 'seconds', character: 'characters', search: 'searches' };

/** The session header, if a key has a budget for each session: every format accepts this header. */
function sessionHeader({ conversationName: name, key }: Call): RequestedCost['headers'] {
  const isCounted = [key, ...key.ancestors].some(({ limits }) => limits.sessionBudget !== undefined);
  return isCounted && name !== undefined && isSessionName(name) ? { [SESSION_HEADER]: name } : undefined;
}

function freeModelOf({ catalog, key }: Call): string | undefined {
  const model = catalog.find(FREE_MODEL);
  return model?.free === true && mayUse(key, model) ? model.id : undefined;
}
