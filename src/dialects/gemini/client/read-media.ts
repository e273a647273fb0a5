// Images, documents and sounds of a client, as data or by an address. Files that are stored at Google cannot be used elsewhere.

import type { JsonObject } from '../../../kit/json/json.ts';
import { nonEmptyString, refuseField, stringAt } from '../../fields.ts';
import { imageOfBytes, readDocument } from '../../media/read-media.ts';
import type { AudioPart, DocumentPart, ImagePart, OtherPart } from '../../translate/conversation.ts';
import { member } from '../member.ts';

type MediaPart = ImagePart | DocumentPart | AudioPart | OtherPart;

const AUDIO_FORMATS: ReadonlyMap<string, string> = new Map([
  ['audio/wav', 'wav'],
  ['audio/x-wav', 'wav'],
  ['audio/wave', 'wav'],
  ['audio/mp3', 'mp3'],
  ['audio/mpeg', 'mp3'],
]);

export function readInline(inline: JsonObject, at: string): MediaPart {
  const mediaType = typeOf(inline, at);
  const base64 = stringAt(inline.data, `${at}.data`);
  const format = AUDIO_FORMATS.get(mediaType);
  if (format !== undefined) return { type: 'audio', format, data: base64, at };
  if (mediaType.startsWith('image/')) return { type: 'image', source: imageOfBytes({ mediaType, base64 }, at), at };
  if (/^(?:video|audio)\//.test(mediaType)) return { type: 'other', kind: mediaType, at };
  return readDocument(`data:${mediaType};base64,${base64}`, nonEmptyString(member(inline, 'displayName')), at);
}

export function readFile(file: JsonObject, at: string): MediaPart {
  const url = stringAt(member(file, 'fileUri'), `${at}.fileUri`);
  if (!/^https?:\/\//i.test(url) || STORED.test(url)) {
    refuseField(`${at}.fileUri`, `Files are not stored here. Send the content of ${at} as inlineData.`);
  }
  const mediaType = nonEmptyString(member(file, 'mimeType')) === undefined ? '' : typeOf(file, at);
  const source = { kind: 'url', url } as const;
  if (mediaType.startsWith('image/')) return { type: 'image', source, at };
  if (mediaType === 'application/pdf') return { type: 'document', source, at };
  return { type: 'other', kind: `fileData of ${mediaType || 'an unknown type'}`, at };
}

/** The address of a file that was uploaded to Google. */
const STORED = /^https?:\/\/generativelanguage\.googleapis\.com\//i;

function typeOf(holder: JsonObject, at: string): string {
  return stringAt(member(holder, 'mimeType'), `${at}.mimeType`).trim().toLowerCase();
}
