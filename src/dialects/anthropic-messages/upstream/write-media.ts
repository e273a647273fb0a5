// Writes images and documents as blocks. Types that the vendor does not accept are refused with their place in the client's
// body.

import type { RawValue } from '../../../kit/json/raw-json.ts';
import { refuseField } from '../../fields.ts';
import { isPdf, sniffImageType } from '../../media/media-types.ts';
import type { DocumentPart, ImagePart } from '../../translate/conversation.ts';

const IMAGE_TYPES = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp']);

export function writeImage({ source, at }: ImagePart): { type: 'image'; source: RawValue } {
  if (source.kind === 'url') return { type: 'image', source: { type: 'url', url: source.url } };
  // Read from the bytes, because clients guess the type by the file name.
  const mediaType = sniffImageType(source.data) ?? source.mediaType.toLowerCase();
  if (!IMAGE_TYPES.has(mediaType)) {
    refuseField(at, `This model accepts only JPEG, PNG, GIF and WebP images. Send ${at} as one of these.`);
  }
  return { type: 'image', source: { type: 'base64', media_type: mediaType, data: source.data } };
}

export function writeDocument({ source, title, at }: DocumentPart): {
  type: 'document';
  source: RawValue;
  title?: string;
} {
  return { type: 'document', source: documentSource(source, at), ...(title === undefined ? {} : { title }) };
}

function documentSource(source: DocumentPart['source'], at: string): RawValue {
  if (source.kind === 'url') return { type: 'url', url: source.url };
  if (source.kind === 'text') return textSource(source.text);
  if (isPdf(source)) return { type: 'base64', media_type: 'application/pdf', data: source.data };
  if (isText(source.mediaType)) return textSource(Buffer.from(source.data, 'base64').toString());
  return refuseField(at, `This model accepts only PDF and plain text documents. Send ${at} as one of these.`);
}

function textSource(data: string): RawValue {
  return { type: 'text', media_type: 'text/plain', data };
}

function isText(mediaType: string): boolean {
  return /^(text\/|application\/(json|xml|yaml)\b)/i.test(mediaType);
}
