// The input tokens that the demo reports. Media count by their kind, as in models: the base64 of a small picture would
// outweigh a long conversation.

import { isObject, type Json, type JsonObject } from '../../kit/json/json.ts';
import { audioTokens, packedTokens } from '../../kit/media-tokens.ts';
import { countTokens, PER_IMAGE } from '../../kit/tokens.ts';

/** Models also read fields beside the messages. */
export function countPrompt(request: JsonObject): number {
  const beside = BESIDE_MESSAGES.map((name) => countTokens(wordsOf(request[name])).estimate);
  return beside.reduce((sum, tokens) => sum + tokens, countMessages(request.messages ?? []));
}

const BESIDE_MESSAGES = ['system', 'tools', 'functions'];

function countMessages(messages: Json): number {
  let ofMedia = 0;
  const words = JSON.stringify(messages, (_, value: Json) => {
    const tokens = mediaTokens(value);
    ofMedia += tokens ?? 0;
    return tokens === undefined ? value : '';
  });
  return countTokens(words).estimate + ofMedia;
}

/** Undefined if it is not media. */
function mediaTokens(part: Json): number | undefined {
  if (!isObject(part)) return undefined;
  switch (part.type) {
    case 'image':
    case 'image_url':
      return PER_IMAGE.estimate;
    case 'document':
      return isObject(part.source) && part.source.type === 'base64' ? ofFile(part.source.data) : undefined;
    case 'file':
      return isObject(part.file) ? ofFile(part.file.file_data) : undefined;
    case 'input_audio':
      return isObject(part.input_audio) ? ofAudio(part.input_audio) : undefined;
    default:
      return undefined;
  }
}

function ofAudio({ data, format }: JsonObject): number | undefined {
  return typeof data === 'string' ? audioTokens(data, format) : undefined;
}

function ofFile(data: Json | undefined): number | undefined {
  return typeof data === 'string' ? packedTokens(data) : undefined;
}

/** Names and texts without the JSON syntax, which is half of a small tool and costs a model few tokens. */
function wordsOf(value: Json | undefined): string {
  return value === undefined ? '' : JSON.stringify(value).replace(/[{}[\]":,]+/g, ' ');
}
