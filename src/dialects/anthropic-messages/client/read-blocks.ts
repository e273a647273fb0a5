// Reads the content of a client's message as parts. Ids and signatures that the gateway tagged in an answer are unpacked;
// those of a vendor are useless to other vendors.

import { isObject, type Json, type JsonObject } from '../../../kit/json/json.ts';
import type { RawPlace } from '../../../kit/json/raw-json.ts';
import { refuseField, stringAt } from '../../fields.ts';
import { imageOfBytes } from '../../media/read-media.ts';
import type {
  DocumentPart,
  ImagePart,
  MediaSource,
  OtherPart,
  Part,
  ReasoningPart,
  TextPart,
  ToolResultPart,
} from '../../translate/conversation.ts';
import { readOwnSignature, unpackReasoning } from '../../translate/opaque.ts';
import { readCacheMark } from '../../translate/read-cache-mark.ts';
import { requireResultParts } from '../../translate/read-part-list.ts';
import { CallIds } from '../../translate/tools/call-ids.ts';
import { readCallId } from '../shown-ids.ts';
import { announceChange, announcedPart, type KnownTools } from './read-tools.ts';

interface History {
  /** The place of `content` in the body's text. */
  raw(): RawPlace | undefined;
  ids: CallIds;
  /** Undefined where tools cannot be added or removed. */
  tools?: KnownTools | undefined;
}

const nowhere = () => undefined;

export function readContent(content: Json | undefined, at: string, history: History): Part[] {
  if (typeof content === 'string') return [{ type: 'text', text: content, at }];
  return blocksOf(content, at).flatMap((block, index) => readBlock(block, index, `${at}[${index}]`, history));
}

export function readTexts(content: Json | undefined, at: string, tools?: KnownTools): TextPart[] {
  if (content === undefined || content === null) return [];
  return readContent(content, at, { raw: nowhere, ids: new CallIds(), tools }).map((part) =>
    part.type === 'text'
      ? part
      : refuseField(part.at, `Only text blocks are accepted at ${part.at}. Make it a text block.`),
  );
}

function blocksOf(content: Json | undefined, at: string): JsonObject[] {
  if (!Array.isArray(content)) refuseField(at, `${at} must be a string or a list of blocks.`);
  return content.map((block, index) =>
    isObject(block) ? block : refuseField(`${at}[${index}]`, `Every block of ${at} must be an object.`),
  );
}

function readBlock(block: JsonObject, index: number, at: string, { raw, ids, tools }: History): Part[] {
  const placed = { at, ...readCacheMark(block) };
  switch (block.type) {
    case 'text':
      return [{ type: 'text', text: stringAt(block.text, `${at}.text`), ...placed }];
    case 'image':
      return [readImage(block, placed)];
    case 'document':
      return readDocument(block, placed);
    case 'search_result':
      return [{ type: 'text', text: searchResult(block, at), ...placed }];
    case 'tool_reference':
      return [announcedPart(stringAt(block.tool_name, `${at}.tool_name`), false, placed)];
    case 'tool_addition':
    case 'tool_removal':
      return tools ? announceChange(block, placed, tools) : [{ type: 'other', kind: block.type, ...placed }];
    case 'thinking':
      return readThinking(block, at);
    case 'redacted_thinking':
      return readRedacted(block, at);
    case 'tool_use': {
      const { id, opaque } = readCallId(stringAt(block.id, `${at}.id`));
      const input = raw()?.at(index)?.at('input')?.text ?? '{}';
      const name = stringAt(block.name, `${at}.name`);
      return [{ type: 'tool_call', id: ids.add(id), name, arguments: input, isCustom: false, opaque, ...placed }];
    }
    case 'tool_result':
      return [readResult(block, placed, ids)];
    default:
      return [{ type: 'other', kind: stringAt(block.type, `${at}.type`), ...placed }];
  }
}

/** The maker of a thought with a vendor's signature is unknown: only its text is kept. */
function readThinking(block: JsonObject, at: string): ReasoningPart[] {
  const words = stringAt(block.thinking, `${at}.thinking`);
  const signature = typeof block.signature === 'string' ? block.signature : '';
  const packed = unpackReasoning(signature);
  if (packed) return [{ type: 'reasoning', ...packed, text: words, at }];
  const own = readOwnSignature(signature);
  return [{ type: 'reasoning', text: words, opaque: own && { origin: own.origin, value: '' }, at }];
}

/** Encrypted content of one vendor is useless to another. */
function readRedacted(block: JsonObject, at: string): ReasoningPart[] {
  const packed = unpackReasoning(stringAt(block.data, `${at}.data`));
  return packed ? [{ type: 'reasoning', ...packed, at }] : [];
}

function readResult(block: JsonObject, placed: Placed, ids: CallIds): ToolResultPart {
  const { at } = placed;
  const content = requireResultParts(readContent(block.content ?? [], `${at}.content`, { raw: nowhere, ids }));
  const callId = ids.find(readCallId(stringAt(block.tool_use_id, `${at}.tool_use_id`)).id);
  return { type: 'tool_result', callId, content, isError: block.is_error === true, ...placed };
}

/** A search result with its title and its source. */
function searchResult(block: JsonObject, at: string): string {
  const found = readTexts(block.content, `${at}.content`).map((part) => part.text);
  const heads = [block.title, block.source].filter((head) => typeof head === 'string');
  return [...heads, ...found].join('\n');
}

type Placed = Pick<TextPart, 'at' | 'cache'>;

function readImage(block: JsonObject, placed: Placed): ImagePart | OtherPart {
  const source = mediaSource(block.source, placed.at);
  if (!source) return unknownSource(block, placed);
  if (source.kind === 'url') return { type: 'image', source, ...placed };
  const { mediaType, data } = source;
  return { type: 'image', source: imageOfBytes({ mediaType, base64: data }, placed.at), ...placed };
}

/** The `context` of a document becomes a text before it. */
function readDocument(block: JsonObject, placed: Placed): (DocumentPart | TextPart | OtherPart)[] {
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
