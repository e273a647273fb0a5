// Writes images, documents and audio as parts with their data. Media with only a URL, and types that the vendor does not
// accept, are refused with their place in the client's body.

import type { RawValue } from '../../kit/json/raw-json.ts';
import { refuseField } from '../fields.ts';
import { isPdf, sniffImageType } from '../media/media-types.ts';
import type { AudioPart, DocumentPart, ImagePart } from '../translate/conversation.ts';

/** A part in the vendor's format. */
export type GeminiPart = { [name: string]: RawValue | undefined };

const IMAGE_TYPES = new Set(['image/png', 'image/jpeg', 'image/webp', 'image/heic', 'image/heif']);
const AUDIO_TYPES = new Map([
  ['wav', 'audio/wav'],
  ['mp3', 'audio/mp3'],
]);

export function writeImage({ source, at }: ImagePart): GeminiPart {
  if (source.kind === 'url') refuseField(at, `This model does not fetch URLs. Send the image at ${at} as base64.`);
  // Read from the bytes, because clients guess the type by the file name.
  const type = sniffImageType(source.data) ?? source.mediaType.toLowerCase();
  if (!IMAGE_TYPES.has(type))
    refuseField(at, `This model accepts only PNG, JPEG and WebP images. Send ${at} as one of these.`);
  return inline(type, source.data);
}

export function writeDocument({ source, title, at }: DocumentPart): GeminiPart {
  if (source.kind === 'url') {
    refuseField(at, `This model does not fetch URLs. Send the document at ${at} as base64.`);
  }
  if (source.kind === 'text') return { text: title === undefined ? source.text : `${title}\n\n${source.text}` };
  if (isPdf(source)) return inline('application/pdf', source.data);
  if (/^text\//i.test(source.mediaType)) return inline('text/plain', source.data);
  return refuseField(at, `This model accepts only PDF and plain text documents. Send ${at} as one of these.`);
}

export function writeAudio({ format, data, at }: AudioPart): GeminiPart {
  const type = AUDIO_TYPES.get(format);
  return type === undefined ? refuseField(at, `${at} must be wav or mp3 audio.`) : inline(type, data);
}

function inline(mimeType: string, data: string): GeminiPart {
  return { inlineData: { mimeType, data } };
}
