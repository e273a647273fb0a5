// The OpenAI moderations format: texts and images in, a verdict for each out. The answer passes as the upstream wrote it.

import { editMembers, isObject, type Json, type JsonDocument } from '../../kit/json/json.ts';
import { checkReport } from '../counts.ts';
import { type AnswerFacts, type Dialect, NO_CHAT, NO_OUTPUT, type RelayRequest } from '../dialect.ts';
import { readModel, refuseField } from '../fields.ts';
import { countInput } from '../input/count-input.ts';
import { readUsage } from '../openai-chat/usage.ts';
import { withoutFields } from '../removals/remove-fields.ts';
import { NEVER_STREAMS } from '../stream/bare-events.ts';

export const openaiModerations: Dialect = {
  endpoint: 'moderation',
  envelope: 'openai',
  request: {
    promptField: 'input',
    defaultModel: 'omni-moderation-latest',
    read: readRequest,
    write: ({ document }, { model }, removed) => editMembers(document, withoutFields({ model }, removed)),
  },
  answer: { read: readAnswer, write: (document, model) => editMembers(document, { model }) },
  stream: NEVER_STREAMS,
};

const MAX_INPUTS = 2048;

function readRequest(document: JsonDocument): RelayRequest {
  return {
    ...NO_CHAT,
    model: readModel(document),
    stream: false,
    maxOutputTokens: 0,
    input: countInput(document, [{ content: checkInput(document.value.input) }]),
    document,
  };
}

function checkInput(input: Json | undefined): Json {
  const items = Array.isArray(input) ? input : [input];
  if (items.length === 0 || !items.every(isItem)) {
    refuseField('input', 'input must be a text, a list of texts, or a list of parts of type text or image_url.');
  }
  if (items.length > MAX_INPUTS) refuseField('input', `input has more than ${MAX_INPUTS} items. Send fewer at once.`);
  return input ?? null;
}

function isItem(item: Json | undefined): boolean {
  if (typeof item === 'string') return item !== '';
  if (!isObject(item)) return false;
  if (item.type === 'text') return typeof item.text === 'string';
  return item.type === 'image_url' && isObject(item.image_url) && typeof item.image_url.url === 'string';
}

function readAnswer({ value }: JsonDocument, request?: RelayRequest): AnswerFacts | undefined {
  if (!Array.isArray(value.results) || !value.results.every(isVerdict)) return undefined;
  const { length } = value.results;
  const texts = countTexts(request?.document.value.input);
  const output = { ...NO_OUTPUT, hasContent: length > 0 };
  // There is no completion, so few upstreams count one.
  const usage = isObject(value.usage) ? { completion_tokens: 0, ...value.usage, total_tokens: null } : value.usage;
  const gaveUp = texts !== undefined && length > 0 && length !== texts;
  return { usage: checkReport(readUsage(usage), output), output, finish: 'other', gaveUp };
}

/** Each text of a list has its own verdict; all parts of a message have one. */
function countTexts(input: Json | undefined): number | undefined {
  return Array.isArray(input) && input.every((item) => typeof item === 'string') ? input.length : undefined;
}

function isVerdict(result: Json): boolean {
  return isObject(result) && typeof result.flagged === 'boolean';
}
