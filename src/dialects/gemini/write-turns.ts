// Writes turns as contents. Arguments of calls keep their text; signatures are sent only to the model that made them; parts
// that only another dialect has are refused with their place in the client's body.

import { RawJson, type RawValue } from '../../kit/json/raw-json.ts';
import { refuseField } from '../fields.ts';
import { isPdf, sniffImageType } from '../media/read-media.ts';
import { refuseKind, textOfPart } from '../translate/as-text.ts';
import type {
  AudioPart,
  DocumentPart,
  ImagePart,
  Opaque,
  Part,
  ReasoningPart,
  ToolCallPart,
  ToolResultPart,
  Turn,
} from '../translate/conversation.ts';
import { GOOGLE_ORIGIN } from '../translate/opaque.ts';
import { objectArguments } from '../translate/tools/tool-arguments.ts';
import type { ToolNames } from '../translate/tools/tool-names.ts';

interface TurnOptions {
  names: ToolNames;
  origin: string;
  /** The model refuses calls without a signature. */
  wantsSignatures: boolean;
  /** The function that was called, by the call's id. */
  calledBy: ReadonlyMap<string, string>;
}

/** The vendor's marker for a call of another model or of the client, which needs no signature. */
const NO_SIGNATURE = 'skip_thought_signature_validator';

export interface GeminiContent {
  [name: string]: RawValue;
  role: 'user' | 'model';
  parts: GeminiPart[];
}

export function writeTurn({ role, parts }: Turn, options: TurnOptions): GeminiContent {
  if (role === 'assistant') return { role: 'model', parts: writeOwnParts(parts, options) };
  const results = parts.filter((part) => part.type === 'tool_result');
  const rest = parts.filter((part) => part.type !== 'tool_result' && part.type !== 'reasoning');
  return {
    role: 'user',
    parts: [...writeResults(results, options.calledBy), ...rest.map((part) => writePart(part, options))],
  };
}

/** The first of several calls in one turn has the signature; the signature of thoughts is on the part after them. */
function writeOwnParts(parts: readonly Part[], options: TurnOptions): GeminiPart[] {
  const written: GeminiPart[] = [];
  let waiting: string | undefined;
  let hasCall = false;
  for (const part of parts) {
    if (part.type === 'reasoning') {
      waiting = ownValue(part.opaque, options) ?? waiting;
      continue;
    }
    const isFirstCall = part.type === 'tool_call' && !hasCall;
    const made = part.type === 'tool_call' ? ownValue(part.opaque, options) : undefined;
    const instead = isFirstCall && options.wantsSignatures ? NO_SIGNATURE : undefined;
    const signature = made ?? waiting ?? instead;
    written.push({ ...writePart(part, options), ...(signature === undefined ? {} : { thoughtSignature: signature }) });
    waiting = undefined;
    hasCall ||= part.type === 'tool_call';
  }
  return written;
}

/** Its own, or one that the client itself says is Google's. */
function ownValue(opaque: Opaque | undefined, { origin }: TurnOptions): string | undefined {
  if (opaque?.origin !== origin && opaque?.origin !== GOOGLE_ORIGIN) return undefined;
  return opaque.value === '' ? undefined : opaque.value;
}

function writePart(part: Exclude<Part, ReasoningPart>, options: TurnOptions): GeminiPart {
  switch (part.type) {
    case 'text':
      return { text: part.text };
    case 'image':
      return writeImage(part);
    case 'document':
      return writeDocument(part);
    case 'audio':
      return writeAudio(part);
    case 'tool_call':
      return writeCall(part, options);
    case 'tool_result':
    case 'other':
      return refuseField(part.at, `This model does not accept ${part.at}. Remove it, or use another model.`);
  }
}

function writeCall(call: ToolCallPart, { names }: TurnOptions): GeminiPart {
  const args = new RawJson(objectArguments(call));
  return { functionCall: { id: call.id, name: names.toUpstream(call.name), args } };
}

/**
 * Each is an object under the name of its function. Media follow after all results, and the result says which one is its own.
 */
function writeResults(results: readonly ToolResultPart[], calledBy: ReadonlyMap<string, string>): GeminiPart[] {
  const attached: GeminiPart[] = [];

  function attach(part: ImagePart | DocumentPart): string {
    attached.push(part.type === 'image' ? writeImage(part) : writeDocument(part));
    return `[${part.type} ${attached.length} attached below]`;
  }

  function textOf(part: ToolResultPart['content'][number]): string {
    const text = textOfPart(part);
    if (text !== undefined) return text;
    return part.type === 'image' || part.type === 'document' ? attach(part) : refuseKind(part);
  }

  const answers = results.map(({ callId, content, isError, at }) => {
    const name =
      calledBy.get(callId) ??
      refuseField(at, `${at} is the result of a call that is not before it. Add the call before it.`);
    const text = content.map(textOf).join('\n');
    return { functionResponse: { id: callId, name, response: isError ? { error: text } : { output: text } } };
  });
  return [...answers, ...attached];
}

/** A part in the vendor's format. */
type GeminiPart = { [name: string]: RawValue | undefined };

const IMAGE_TYPES = new Set(['image/png', 'image/jpeg', 'image/webp', 'image/heic', 'image/heif']);
const AUDIO_TYPES = new Map([
  ['wav', 'audio/wav'],
  ['mp3', 'audio/mp3'],
]);

function writeImage({ source, at }: ImagePart): GeminiPart {
  if (source.kind === 'url') refuseField(at, `This model does not fetch URLs. Send the image at ${at} as base64.`);
  // Read from the bytes, because clients guess the type by the file name.
  const type = sniffImageType(source.data) ?? source.mediaType.toLowerCase();
  if (!IMAGE_TYPES.has(type))
    refuseField(at, `This model accepts only PNG, JPEG and WebP images. Send ${at} as one of these.`);
  return inline(type, source.data);
}

function writeDocument({ source, title, at }: DocumentPart): GeminiPart {
  if (source.kind === 'url') {
    refuseField(at, `This model does not fetch URLs. Send the document at ${at} as base64.`);
  }
  if (source.kind === 'text') return { text: title === undefined ? source.text : `${title}\n\n${source.text}` };
  if (isPdf(source)) return inline('application/pdf', source.data);
  if (/^text\//i.test(source.mediaType)) return inline('text/plain', source.data);
  return refuseField(at, `This model accepts only PDF and plain text documents. Send ${at} as one of these.`);
}

function writeAudio({ format, data, at }: AudioPart): GeminiPart {
  const type = AUDIO_TYPES.get(format);
  return type === undefined ? refuseField(at, `${at} must be wav or mp3 audio.`) : inline(type, data);
}

function inline(mimeType: string, data: string): GeminiPart {
  return { inlineData: { mimeType, data } };
}
