// An image request: how many images, and whether they come as a stream.

import type { JsonDocument } from '../../kit/json/json.ts';
import { countTokens } from '../../kit/tokens.ts';
import type { RelayRequest } from '../dialect.ts';
import { optionalCount, optionalFlag, readModel, textField } from '../fields.ts';
import type { InputCount } from '../input/count-input.ts';

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
    hasStops: false,
    input: countPrompt(textField(body, 'prompt', MAX_PROMPT_CHARS)),
    document,
  };
}

/** Marks around a prompt that the upstream counts. */
const AROUND_PROMPT = 16;

function countPrompt(prompt: string): InputCount {
  const count = countTokens(prompt);
  return { ...count, upper: count.upper + AROUND_PROMPT, isOpen: false, vendorTools: 0 };
}
