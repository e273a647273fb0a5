// POST /v1/responses/input_tokens: the input of a request, which may be counted before there is any, and the answer.

import type { JsonDocument } from '../../kit/json/json.ts';
import { countInput, type InputCount } from '../input/count-input.ts';
import { readItems, refuseStored } from './read-request.ts';
import { toolsIn, vendorUse } from './tool-calls.ts';

export function readInput(document: JsonDocument): InputCount {
  const { value: body } = document;
  refuseStored(body);
  const items = (body.input ?? null) === null ? [] : readItems(body);
  const later = toolsIn(items);
  return countInput(document, items, vendorUse(body, later), later);
}

export function writeInputCount(tokens: number) {
  return { object: 'response.input_tokens', input_tokens: tokens };
}
