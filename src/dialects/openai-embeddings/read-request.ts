// An embeddings request: texts, or tokens already counted by the client.

import { fault } from '../../faults/fault.ts';
import type { Json, JsonDocument } from '../../kit/json/json.ts';
import { addTokens, countTokens, mostTokens, NO_TOKENS, sameTokens, type TokenCount } from '../../kit/tokens.ts';
import { NO_CHAT, type RelayRequest } from '../dialect.ts';
import { readModel, refuseField } from '../fields.ts';
import type { InputCount } from '../input/count-input.ts';
import { NO_USE } from '../input/tool-use.ts';

const MAX_INPUTS = 2048;
const MARKS = 2;

export function readRequest(document: JsonDocument): RelayRequest {
  const { input, encoding_format: format } = document.value;
  if (format !== undefined && format !== null && format !== 'float' && format !== 'base64') {
    throw fault('invalid_request', { param: 'encoding_format', message: 'encoding_format must be float or base64.' });
  }
  return {
    ...NO_CHAT,
    model: readModel(document),
    stream: false,
    maxOutputTokens: 0,
    input: { ...countInputs(input), isOpen: false, toolUse: NO_USE },
    document,
  };
}

function countInputs(input: Json | undefined): TokenCount & Pick<InputCount, 'longest'> {
  if (typeof input === 'string' && input !== '') return countText(input);
  if (!Array.isArray(input) || input.length === 0 || input.length > MAX_INPUTS * MAX_INPUTS)
    return refuseInput('input');
  if (input.every(isToken)) return sameTokens(input.length);
  if (input.length > MAX_INPUTS) refuseField('input', `input has more than ${MAX_INPUTS} items. Send fewer at once.`);
  let sum = NO_TOKENS;
  let longest = NO_TOKENS;
  for (const [index, item] of input.entries()) {
    const count = countInput(item, index);
    sum = addTokens(sum, count);
    longest = mostTokens(longest, count);
  }
  return { ...sum, longest };
}

function countInput(item: Json, index: number): TokenCount {
  if (typeof item === 'string' && item !== '') return countText(item);
  if (Array.isArray(item) && item.length > 0 && item.every(isToken)) return sameTokens(item.length);
  return refuseInput(`input[${index}]`);
}

/** Many embedders put a mark before and after each text, and count both. */
function countText(text: string): TokenCount {
  const count = countTokens(text);
  return { ...count, upper: count.upper + MARKS };
}

function isToken(value: Json): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0;
}

function refuseInput(param: string): never {
  return refuseField(param, 'input must be a text, a list of texts, a list of token numbers, or a list of such lists.');
}
