// Pictures, documents and sound as parts. They travel inside the request: what has only an address, or is of a type that
// the vendor does not take, is refused by its place in the client's body.

import type { RawValue } from '../../kit/json/raw-json.ts';
import { refuseField } from '../fields.ts';
import { isPdf, sniffImageType } from '../media/media-types.ts';
import type { AudioPart, DocumentPart, ImagePart } from '../translate/conversation.ts';

/** A part as the vendor knows it. */
export type GeminiPart = { [name: string]: RawValue | undefined };

const IMAGE_TYPES = new Set(['image/png', 'image/jpeg', 'image/webp', 'image/heic', 'image/heif']);
const AUDIO_TYPES = new Map([
  ['wav', 'audio/wav'],
  ['mp3', 'audio/mp3'],
]);

export function writeImage({ source, at }: ImagePart): GeminiPart {
  if (source.kind === 'url') refuseField(at, `Send the image at ${at} as base64: this model does not fetch addresses.`);
  // Clients guess the type by a file's name; the bytes know it.
  const type = sniffImageType(source.data) ?? source.mediaType.toLowerCase();
  if (!IMAGE_TYPES.has(type)) refuseField(at, `Send ${at} as a PNG, JPEG or WebP picture: this model takes no other.`);
  return inline(type, source.data);
}

export function writeDocument({ source, title, at }: DocumentPart): GeminiPart {
  if (source.kind === 'url') {
    refuseField(at, `Send the document at ${at} as base64: this model does not fetch addresses.`);
  }
  if (source.kind === 'text') return { text: title === undefined ? source.text : `${title}\n\n${source.text}` };
  if (isPdf(source)) return inline('application/pdf', source.data);
  if (/^text\//i.test(source.mediaType)) return inline('text/plain', source.data);
  return refuseField(at, `Send ${at} as a PDF or as plain text: this model takes no other documents.`);
}

export function writeAudio({ format, data, at }: AudioPart): GeminiPart {
  const type = AUDIO_TYPES.get(format);
  return type === undefined ? refuseField(at, `Send ${at} as wav or mp3.`) : inline(type, data);
}

function inline(mimeType: string, data: string): GeminiPart {
  return { inlineData: { mimeType, data } };
}
