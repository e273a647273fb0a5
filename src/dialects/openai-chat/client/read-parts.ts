// The content of a chat message, part by part, each with its place in the client's body.

import { isObject, type Json, type JsonObject } from '../../../kit/json/json.ts';
import { refuseField, stringAt } from '../../fields.ts';
import { readDocument, readImage } from '../../media/read-media.ts';
import type { Part, TextPart } from '../../translate/conversation.ts';
import { readCommonPart, readPartList, requireTexts } from '../../translate/read-part-list.ts';

/** Those at `messages[2].content`. */
export function readParts(content: Json | undefined, at: string): Part[] {
  return readPartList(content, at, readPart);
}

/** For places that take only text. */
export function readTexts(content: Json | undefined, at: string): TextPart[] {
  return requireTexts(readParts(content, at));
}

function readPart(part: JsonObject, at: string): Part {
  switch (part.type) {
    case 'image_url':
      return readImagePart(part, at);
    case 'file':
      return readFile(part, at);
    default:
      return readCommonPart(part, at);
  }
}

/** Some libraries give the address without an object around it. */
function readImagePart({ image_url: image }: JsonObject, at: string): Part {
  const { url, detail } = isObject(image) ? image : { url: image, detail: undefined };
  const source = readImage(stringAt(url, `${at}.image_url.url`), at);
  return { type: 'image', source, detail: typeof detail === 'string' ? detail : undefined, at };
}

function readFile({ file }: JsonObject, at: string): Part {
  const { file_data: data, filename } = isObject(file) ? file : {};
  if (typeof data !== 'string') refuseField(at, `Files are not stored here. Send the content of ${at} as file_data.`);
  return readDocument(data, typeof filename === 'string' ? filename : undefined, at);
}
