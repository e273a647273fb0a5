// An image request: how many images, and whether they come as a stream.

import type { JsonDocument } from '../../kit/json/json.ts';
import { countTokens } from '../../kit/tokens.ts';
import type { RelayRequest } from '../dialect.ts';
import { optionalCount, optionalFlag, readModel, textField } from '../fields.ts';

const MAX_PROMPT_CHARS = 200_000;
const MAX_IMAGES = 10;

export function readRequest(document: JsonDocument): RelayRequest {
  const body = document.value;
  const images = optionalCount(body, 'n', MAX_IMAGES) ?? 1;
  return {
    model: readModel(document),
    stream: optionalFlag(body, 'stream'),
    includeUsage: true,
    maxOutputTokens: undefined,
    boundName: undefined,
    choices: images,
    images,
    thinkingBudget: undefined,
    input: { ...countTokens(textField(body, 'prompt', MAX_PROMPT_CHARS)), isOpen: false, vendorTools: 0 },
    document,
  };
}
