// The content of a chat message, part by part, each with its place in the client's body.

import { isObject, type Json, type JsonObject } from '../../kit/json.ts';
import { refuseField, stringAt } from '../fields.ts';
import type { Part, TextPart } from '../translate/conversation.ts';
import { readCacheMark } from '../translate/read-cache-mark.ts';
import { readDocument, readImage } from '../translate/read-media.ts';

/** Those of a message, at `messages[2].content`. */
export function readParts(content: Json | undefined, at: string): Part[] {
  if (content === undefined || content === null) return [];
  if (typeof content === 'string') return [{ type: 'text', text: content, at }];
  if (!Array.isArray(content)) return refuseField(at, `Set ${at} to a string or a list of parts.`);
  return content.map((part, index) => {
    const place = `${at}[${index}]`;
    if (!isObject(part)) return refuseField(place, `Make ${place} an object with a type.`);
    return { ...readPart(part, place), ...readCacheMark(part) };
  });
}

/** For places where a model can only be told words. */
export function readTexts(content: Json | undefined, at: string): TextPart[] {
  return readParts(content, at).map((part) =>
    part.type === 'text'
      ? part
      : refuseField(part.at, `Remove ${part.at}, or make it text: nothing else can stand there.`),
  );
}

function readPart(part: JsonObject, at: string): Part {
  switch (part.type) {
    case 'text':
    case 'input_text':
    case 'output_text':
      return { type: 'text', text: stringAt(part.text, `${at}.text`), at };
    case 'refusal':
      return { type: 'text', text: stringAt(part.refusal, `${at}.refusal`), at };
    case 'image_url':
      return readImagePart(part, at);
    case 'input_audio':
      return readAudio(part, at);
    case 'file':
      return readFile(part, at);
    default:
      return { type: 'other', kind: stringAt(part.type, `${at}.type`), at };
  }
}

/** Some libraries give the address without an object around it. */
function readImagePart({ image_url: image }: JsonObject, at: string): Part {
  const { url, detail } = isObject(image) ? image : { url: image, detail: undefined };
  const source = readImage(stringAt(url, `${at}.image_url.url`), at);
  return { type: 'image', source, detail: typeof detail === 'string' ? detail : undefined, at };
}

function readAudio({ input_audio: audio }: JsonObject, at: string): Part {
  const { data, format } = isObject(audio) ? audio : {};
  const place = `${at}.input_audio`;
  return { type: 'audio', data: stringAt(data, `${place}.data`), format: stringAt(format, `${place}.format`), at };
}

function readFile({ file }: JsonObject, at: string): Part {
  const { file_data: data, filename } = isObject(file) ? file : {};
  if (typeof data !== 'string') refuseField(at, `Give ${at} its content as file_data: files are not kept here.`);
  return readDocument(data, typeof filename === 'string' ? filename : undefined, at);
}
