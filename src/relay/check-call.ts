// The checks of a call before its limits and its money: whether the prompt fits the models that may answer it, whether the books
// balance, and whether its quote still covers it.

import { tokenBounds } from '../catalog/catalog.ts';
import type { Dialect, RelayRequest } from '../dialects/dialect.ts';
import { type Fault, fault, tooLongText } from '../faults/fault.ts';
import { newQuote } from '../faults/sample-call.ts';
import { isObject, type Json, type JsonObject } from '../kit/json/json.ts';
import type { Nano } from '../kit/money.ts';
import { fullHold } from './admit-input.ts';
import type { Call } from './call.ts';
import { fitsOutputBound } from './choose-model.ts';

export function checkCall(call: Call): Fault | undefined {
  const refused = checkContext(call) ?? checkBooks(call);
  if (refused || call.quotedMost === undefined || call.model.free) return refused;
  return checkQuote(call, call.quotedMost);
}

function checkBooks({ tools, model }: Call): Fault | undefined {
  if (model.free || !tools.isUnbalanced()) return undefined;
  return fault('unavailable', { internal: 'the books do not balance' });
}

/** The quote must cover the shortest answer that is worth a call. */
function checkQuote(call: Call, most: Nano): Fault | undefined {
  const { base, unit, least } = fullHold(call);
  if (base + unit * BigInt(least) <= most) return undefined;
  return fault('quote_expired', {
    message:
      'This quote no longer covers the request: the routes or fallbacks that it may use have changed. Get a new quote.',
    actions: [newQuote({ endpoint: call.endpoint, promptField: call.dialect.request.promptField }, call.model.id)],
  });
}

/** Undefined if the prompt fits, and a free call stays within its bounds. */
export function checkContext(call: Call): Fault | undefined {
  const { request, model, catalog, dialect } = call;
  const { input } = request;
  if (call.candidates.length === 0) return tooLongForAll(call);
  // It bounds the sum of all prompts of the request, which may exceed a context.
  const freeMost = model.free ? catalog.guards.free_input_tokens : null;
  if (freeMost === null) return undefined;
  // The estimate is computed only if the upper bound exceeds the limit.
  const estimate = input.upper > freeMost ? (input.undeclared ?? input.estimate) : 0;
  if (estimate > freeMost) return tooLong(dialect, estimate, freeMost);
  return input.unseen && unseenInput(request, input.unseen, freeMost);
}

/** The lower bound decides. The fault names our best estimate, so that clients know how much to remove. */
function tooLongForAll({ request, models, catalog, dialect, isStrict }: Call): Fault {
  const { estimate, lower } = request.input.longest ?? request.input;
  const most = models
    .filter((one) => fitsOutputBound(one, models, request, isStrict))
    .map((one) => tokenBounds(one, catalog).input);
  return tooLong(dialect, Math.max(estimate, lower), Math.max(...most));
}

/** A free call has no hold, so nothing would bound input whose size is unknown. */
function unseenInput({ document }: RelayRequest, part: JsonObject, most: number): Fault {
  const place = placeIn(document.value, part) ?? '';
  const message = `The size of ${place} cannot be determined from the request, and a free request may have at most ${most} tokens of input. Send it as text, as a PNG, JPEG, GIF or WebP image, or as uncompressed WAV audio, or use a paid model.`;
  return fault('invalid_request', { param: place, message });
}

function tooLong({ request }: Dialect, tokens: number, most: number): Fault {
  return fault('context_length_exceeded', { param: request.promptField, message: tooLongText(tokens, most) });
}

/** Where `sought` is in `value`, as faults name places: `messages[0].content[1]`. */
function placeIn(value: Json | undefined, sought: JsonObject, at = ''): string | undefined {
  if (value === sought) return at;
  if (Array.isArray(value)) return firstOf(value.keys(), (index) => placeIn(value[index], sought, `${at}[${index}]`));
  if (!isObject(value)) return undefined;
  const names = Object.keys(value).filter((name) => typeof value[name] !== 'string');
  return firstOf(names, (name) => placeIn(value[name], sought, at === '' ? name : `${at}.${name}`));
}

function firstOf<Key>(keys: Iterable<Key>, find: (key: Key) => string | undefined): string | undefined {
  for (const key of keys) {
    const found = find(key);
    if (found !== undefined) return found;
  }
  return undefined;
}
