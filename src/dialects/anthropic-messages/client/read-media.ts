// Images and documents of a client. Files stored at the vendor cannot be used elsewhere: they stay references.

import { isObject, type Json, type JsonObject } from '../../../kit/json/json.ts';
import { refuseField, stringAt } from '../../fields.ts';
import { imageOfBytes } from '../../media/read-media.ts';
import type {
  CacheMark,
  DocumentPart,
  ImagePart,
  MediaSource,
  OtherPart,
  TextPart,
} from '../../translate/conversation.ts';

export interface Placed {
  at: string;
  cache?: CacheMark;
}

export function readImage(block: JsonObject, placed: Placed): ImagePart | OtherPart {
  const source = mediaSource(block.source, placed.at);
  if (!source) return unknownSource(block, placed);
  if (source.kind === 'url') return { type: 'image', source, ...placed };
  const { mediaType, data } = source;
  return { type: 'image', source: imageOfBytes({ mediaType, base64: data }, placed.at), ...placed };
}

/** The `context` of a document becomes a text before it. */
export function readDocument(block: JsonObject, placed: Placed): (DocumentPart | TextPart | OtherPart)[] {
  const source = mediaSource(block.source, placed.at) ?? textSource(block.source);
  if (!source) return [unknownSource(block, placed)];
  const title = typeof block.title === 'string' && block.title !== '' ? { title: block.title } : {};
  const about: TextPart[] =
    typeof block.context === 'string' && block.context !== ''
      ? [{ type: 'text', text: block.context, at: `${placed.at}.context` }]
      : [];
  return [...about, { type: 'document', source, ...title, ...placed }];
}

function mediaSource(source: Json | undefined, at: string): MediaSource | undefined {
  if (!isObject(source)) refuseField(`${at}.source`, `${at}.source must be an object.`);
  const { type, data, url } = source;
  if (type === 'url' && typeof url === 'string') return { kind: 'url', url };
  if (type === 'file') refuseField(at, `Files are not stored here. Send the content of ${at} as base64.`);
  if (type !== 'base64' || typeof data !== 'string') return undefined;
  return { kind: 'base64', mediaType: typeof source.media_type === 'string' ? source.media_type : '', data };
}

/** Plain text, or a list of nothing but text. */
function textSource(source: Json | undefined): DocumentPart['source'] | undefined {
  if (!isObject(source)) return undefined;
  if (source.type === 'text' && typeof source.data === 'string') return { kind: 'text', text: source.data };
  if (source.type !== 'content') return undefined;
  if (typeof source.content === 'string') return { kind: 'text', text: source.content };
  if (!Array.isArray(source.content)) return undefined;
  const texts = source.content.map((part) => (isObject(part) && part.type === 'text' ? part.text : undefined));
  return texts.every((text) => typeof text === 'string') ? { kind: 'text', text: texts.join('\n') } : undefined;
}

function unknownSource(block: JsonObject, placed: Placed): OtherPart {
  const { type } = isObject(block.source) ? block.source : {};
  const source = stringAt(type, `${placed.at}.source.type`);
  return { type: 'other', kind: `${String(block.type)} with a ${source} source`, ...placed };
}
