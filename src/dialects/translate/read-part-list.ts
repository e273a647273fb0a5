// Reads content of the OpenAI formats: a text, or a list of parts with a type.

import { isObject, type Json, type JsonObject } from '../../kit/json/json.ts';
import { refuseField, stringAt } from '../fields.ts';
import type { AudioPart, Part, TextPart, ToolResultPart } from './conversation.ts';
import { readCacheMark } from './read-cache-mark.ts';

/** Those at `messages[2].content`. */
export function readPartList(
  content: Json | undefined,
  at: string,
  readPart: (part: JsonObject, at: string) => Part,
): Part[] {
  if (content === undefined || content === null) return [];
  if (typeof content === 'string') return [{ type: 'text', text: content, at }];
  if (!Array.isArray(content)) return refuseField(at, `${at} must be a string or a list of parts.`);
  return content.map((part, index) => {
    const place = `${at}[${index}]`;
    if (!isObject(part)) return refuseField(place, `${place} must be an object with a type.`);
    return { ...readPart(part, place), ...readCacheMark(part) };
  });
}

/** For places that take only text. */
export function requireTexts(parts: readonly Part[]): TextPart[] {
  return parts.map((part) =>
    part.type === 'text'
      ? part
      : refuseField(part.at, `Only text is accepted at ${part.at}. Remove it, or make it text.`),
  );
}

/** The content that a tool result can have, independent of the client's format. */
export function requireResultParts(parts: readonly Part[]): ToolResultPart['content'] {
  return parts.map((part) => {
    if (part.type === 'text' || part.type === 'image' || part.type === 'document' || part.type === 'other') return part;
    return refuseField(part.at, `The result of a tool cannot contain ${part.at}. Remove it.`);
  });
}

/** The parts that both OpenAI formats have. Clients mix their types of text; images and files differ. */
export function readCommonPart(part: JsonObject, at: string): Part {
  switch (part.type) {
    case 'text':
    case 'input_text':
    case 'output_text':
      return { type: 'text', text: stringAt(part.text, `${at}.text`), at };
    case 'refusal':
      return { type: 'text', text: stringAt(part.refusal, `${at}.refusal`), at };
    case 'input_audio':
      return readAudio(part, at);
    default:
      return { type: 'other', kind: stringAt(part.type, `${at}.type`), at };
  }
}

function readAudio({ input_audio: audio }: JsonObject, at: string): AudioPart {
  const { data, format } = isObject(audio) ? audio : {};
  const place = `${at}.input_audio`;
  return { type: 'audio', data: stringAt(data, `${place}.data`), format: stringAt(format, `${place}.format`), at };
}
