// An image request: how many images, and whether they come as a stream.

import type { JsonDocument, JsonObject } from '../../kit/json/json.ts';
import { countTokens } from '../../kit/tokens.ts';
import type { RelayRequest } from '../dialect.ts';
import { optionalCount, optionalFlag, readModel, textField } from '../fields.ts';
import type { InputCount } from '../input/count-input.ts';
import { NO_USE } from '../input/tool-use.ts';
import { namesMedia } from '../input/unknown-media.ts';

const MAX_PROMPT_CHARS = 200_000;
const MAX_IMAGES = 10;

export function readRequest(document: JsonDocument): RelayRequest {
  const body = document.value;
  textField(body, 'prompt', MAX_PROMPT_CHARS);
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
    input: countPrompt(body),
    document,
  };
}

/** Marks around a prompt that the upstream counts. */
const AROUND_PROMPT = 16;

/** Some upstreams accept input images, or more text, in other fields. */
function countPrompt({ prompt, model: _, ...others }: JsonObject): InputCount {
  const count = countTokens(typeof prompt === 'string' ? prompt : '');
  const isOpen = namesMedia(others);
  const beside = isOpen ? 0 : countTokens(JSON.stringify(others)).upper;
  return { ...count, upper: count.upper + AROUND_PROMPT + beside, isOpen, toolUse: NO_USE };
}
