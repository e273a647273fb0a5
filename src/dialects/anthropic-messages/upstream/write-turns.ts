// Writes turns as messages. Arguments of calls keep their text; parts that only another dialect has are refused with their
// place in the client's body.

import { RawJson, type RawValue } from '../../../kit/json/raw-json.ts';
import { refuseField } from '../../fields.ts';
import { isPdf, sniffImageType } from '../../media/read-media.ts';
import { refuseKind } from '../../translate/as-text.ts';
import type {
  DocumentPart,
  ImagePart,
  Part,
  ReasoningPart,
  ToolCallPart,
  ToolResultPart,
  Turn,
} from '../../translate/conversation.ts';
import { objectArguments } from '../../translate/tools/tool-arguments.ts';
import type { ToolNames } from '../../translate/tools/tool-names.ts';
import { type CacheMarks, cacheMember } from './cache-marks.ts';

export interface TurnOptions {
  marks: CacheMarks;
  names: ToolNames;
  /** Makes ids of calls that the vendor accepts. */
  writeId(id: string): string;
}

type Block = { type: string; [name: string]: RawValue | undefined };

export type Message = { role: Turn['role']; content: RawValue[] };

export function writeTurn({ role, parts }: Turn, options: TurnOptions): Message {
  const content = parts.map((part) => {
    if (part.type === 'reasoning') return writeThought(part);
    if (role === 'assistant') requireAssistants(part);
    const mark = options.marks.get(part);
    const block = writePart(part, options);
    return mark ? { ...block, ...cacheMember(mark) } : block;
  });
  return { role, content };
}

/** Parts that are accepted only in user turns. */
const USERS = new Map<Part['type'], string>([
  ['image', 'image'],
  ['document', 'document'],
  ['tool_result', 'result of a tool'],
]);

function requireAssistants({ type, at }: Part): void {
  const what = USERS.get(type);
  if (what) refuseField(at, `This model does not accept ${what} in an assistant turn. Move ${at} to a user turn.`);
}

function writePart(part: Exclude<Part, ReasoningPart>, options: TurnOptions): Block {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text };
    case 'image':
      return writeImage(part);
    case 'document':
      return writeDocument(part);
    case 'tool_call':
      return writeCall(part, options);
    case 'tool_result':
      return writeResult(part, options);
    case 'audio':
      return refuseField(
        part.at,
        `This model does not accept audio (${part.at}). Remove it, or use a model that does.`,
      );
    case 'other':
      return refuseKind(part);
  }
}

function writeThought({ text, redacted, opaque }: ReasoningPart): Block {
  if (redacted !== undefined) return { type: 'redacted_thinking', data: redacted };
  return { type: 'thinking', thinking: text, signature: opaque?.value ?? '' };
}

function writeCall(call: ToolCallPart, { names, writeId }: TurnOptions): Block {
  return {
    type: 'tool_use',
    id: writeId(call.id),
    name: names.toUpstream(call.name),
    input: new RawJson(objectArguments(call)),
  };
}

function writeResult({ callId, content, isError }: ToolResultPart, options: TurnOptions): Block {
  const blocks = content
    .filter((part) => part.type !== 'text' || part.text.trim() !== '')
    .map((part) => writePart(part, options));
  const [first] = blocks;
  const onlyText = blocks.length === 1 && first?.type === 'text' ? first.text : undefined;
  return {
    type: 'tool_result',
    tool_use_id: options.writeId(callId),
    ...(blocks.length > 0 ? { content: onlyText ?? blocks } : {}),
    ...(isError ? { is_error: true } : {}),
  };
}

const IMAGE_TYPES = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp']);

function writeImage({ source, at }: ImagePart): Block {
  if (source.kind === 'url') return { type: 'image', source: { type: 'url', url: source.url } };
  // Read from the bytes, because clients guess the type by the file name.
  const mediaType = sniffImageType(source.data) ?? source.mediaType.toLowerCase();
  if (!IMAGE_TYPES.has(mediaType)) {
    refuseField(at, `This model accepts only JPEG, PNG, GIF and WebP images. Send ${at} as one of these.`);
  }
  return { type: 'image', source: { type: 'base64', media_type: mediaType, data: source.data } };
}

function writeDocument({ source, title, at }: DocumentPart): Block {
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
