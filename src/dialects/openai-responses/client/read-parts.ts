// The content of a message or of a tool's output, part by part, each with its place in the client's body.

import type { Json, JsonObject } from '../../../kit/json/json.ts';
import { refuseField, stringAt } from '../../fields.ts';
import { readDocument, readImage } from '../../media/read-media.ts';
import type { Part, TextPart } from '../../translate/conversation.ts';
import { readCommonPart, readPartList, requireTexts } from '../../translate/read-part-list.ts';

/** Those at `input[2].content`. */
export function readParts(content: Json | undefined, at: string): Part[] {
  return readPartList(content, at, readPart);
}

/** For places that take only text. */
export function readTexts(content: Json | undefined, at: string): TextPart[] {
  return requireTexts(readParts(content, at));
}

function readPart(part: JsonObject, at: string): Part {
  switch (part.type) {
    case 'summary_text':
      return { type: 'text', text: stringAt(part.text, `${at}.text`), at };
    case 'input_image':
      return readImagePart(part, at);
    case 'input_file':
      return readFile(part, at);
    default:
      return readCommonPart(part, at);
  }
}

function readImagePart({ image_url: url, detail }: JsonObject, at: string): Part {
  if (typeof url !== 'string') refuseField(at, `Files are not stored here. Send the content of ${at} as image_url.`);
  return { type: 'image', source: readImage(url, at), detail: typeof detail === 'string' ? detail : undefined, at };
}

function readFile({ file_data: data, file_url: url, filename }: JsonObject, at: string): Part {
  const title = typeof filename === 'string' ? filename : undefined;
  if (typeof data === 'string') return readDocument(data, title, at);
  if (typeof url !== 'string') refuseField(at, `Files are not stored here. Send the content of ${at} as file_data.`);
  return { type: 'document', source: { kind: 'url', url }, title, at };
}
