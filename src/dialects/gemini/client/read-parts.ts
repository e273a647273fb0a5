// The parts of a content. A signature belongs to the thoughts before its part: it becomes reasoning in front of the text, or
// stays with the call.

import { isObject, type Json, type JsonObject } from '../../../kit/json/json.ts';
import type { RawPlace } from '../../../kit/json/raw-json.ts';
import { nonEmptyString, refuseField, stringAt } from '../../fields.ts';
import { imageOfBytes, readDocument } from '../../media/read-media.ts';
import type {
  AudioPart,
  DocumentPart,
  ImagePart,
  OtherPart,
  Part,
  ReasoningPart,
  ToolCallPart,
  ToolResultPart,
} from '../../translate/conversation.ts';
import { GOOGLE_ORIGIN, unpackReasoning } from '../../translate/opaque.ts';
import { requireResultParts } from '../../translate/read-part-list.ts';
import { CallIds } from '../../translate/tools/call-ids.ts';
import { camelName, member, objectsAt, rawMember } from '../member.ts';

interface History {
  /** The place of the parts in the body's text. */
  raw(): RawPlace | undefined;
  calls: CallHistory;
}

export function readParts(value: Json | undefined, at: string, history: History): Part[] {
  const parts: Part[] = [];
  for (const [index, part] of objectsAt(value, at).entries()) {
    const raw = () => (Array.isArray(value) ? history.raw()?.at(index) : history.raw());
    addPart(parts, part, Array.isArray(value) ? `${at}[${index}]` : at, { ...history, raw });
  }
  return parts;
}

function addPart(parts: Part[], part: JsonObject, at: string, { raw, calls }: History): void {
  const signature = nonEmptyString(member(part, 'thoughtSignature'));
  // One without our tag is Google's own.
  const own = { text: '', opaque: { origin: GOOGLE_ORIGIN, value: signature ?? '' } };
  const signed = signature === undefined ? undefined : (unpackReasoning(signature) ?? own);
  const call = member(part, 'functionCall');
  if (isObject(call)) {
    const args = rawMember(rawMember(raw(), 'functionCall'), 'args')?.text;
    parts.push({ ...readCall(call, args, at, calls), opaque: signed?.opaque });
    return;
  }
  if (typeof part.text === 'string') {
    const thought = signed && { type: 'reasoning' as const, ...signed, at };
    if (part.thought === true) parts.push({ type: 'reasoning', ...signed, text: part.text, at });
    else addText(parts, part.text, thought, at);
    return;
  }
  parts.push(readOther(part, at, calls));
}

/** The signature of a text may come behind it, with an empty part. */
function addText(parts: Part[], text: string, thought: ReasoningPart | undefined, at: string): void {
  const last = parts.at(-1);
  if (thought && text === '' && last?.type === 'text') parts.splice(-1, 0, thought);
  else if (thought) parts.push(thought);
  if (text !== '') parts.push({ type: 'text', text, at });
}

function readOther(part: JsonObject, at: string, calls: CallHistory): Part {
  const result = member(part, 'functionResponse');
  if (isObject(result)) return readResult(result, `${at}.functionResponse`, calls);
  const inline = member(part, 'inlineData');
  if (isObject(inline)) return readInline(inline, `${at}.inlineData`);
  const file = member(part, 'fileData');
  if (isObject(file)) return readFile(file, `${at}.fileData`);
  const [kind] = Object.keys(part);
  if (kind === undefined) refuseField(at, `${at} is empty. Set text, or remove it.`);
  return { type: 'other', kind: camelName(kind), at };
}

function readCall(call: JsonObject, args: string | undefined, at: string, calls: CallHistory): ToolCallPart {
  const name = stringAt(call.name, `${at}.functionCall.name`);
  const id = calls.add(nonEmptyString(call.id), name);
  return { type: 'tool_call', id, name, arguments: args ?? '{}', isCustom: false, at };
}

function readResult(result: JsonObject, at: string, calls: CallHistory): ToolResultPart {
  const name = stringAt(result.name, `${at}.name`);
  const response = isObject(result.response) ? result.response : {};
  const { text, isError } = readResponse(response);
  const media = readParts(result.parts, `${at}.parts`, { raw: () => undefined, calls });
  return {
    type: 'tool_result',
    callId: calls.find(nonEmptyString(result.id), name),
    content: requireResultParts([{ type: 'text', text, at: `${at}.response` }, ...media]),
    isError,
    at,
  };
}

/** By convention `output` or `result` is what the function returned, and `error` that it failed. */
function readResponse(response: JsonObject): { text: string; isError: boolean } {
  const names = Object.keys(response);
  const [name = ''] = names;
  const isOnly = names.length === 1;
  const value = response[name];
  const isWrapped = isOnly && ['output', 'result', 'error'].includes(name) && typeof value === 'string';
  return { text: isWrapped ? value : JSON.stringify(response), isError: isOnly && name === 'error' };
}

type MediaPart = ImagePart | DocumentPart | AudioPart | OtherPart;

const AUDIO_FORMATS: ReadonlyMap<string, string> = new Map([
  ['audio/wav', 'wav'],
  ['audio/x-wav', 'wav'],
  ['audio/wave', 'wav'],
  ['audio/mp3', 'mp3'],
  ['audio/mpeg', 'mp3'],
]);

function readInline(inline: JsonObject, at: string): MediaPart {
  const mediaType = typeOf(inline, at);
  const base64 = stringAt(inline.data, `${at}.data`);
  const format = AUDIO_FORMATS.get(mediaType);
  if (format !== undefined) return { type: 'audio', format, data: base64, at };
  if (mediaType.startsWith('image/')) return { type: 'image', source: imageOfBytes({ mediaType, base64 }, at), at };
  if (/^(?:video|audio)\//.test(mediaType)) return { type: 'other', kind: mediaType, at };
  return readDocument(`data:${mediaType};base64,${base64}`, nonEmptyString(member(inline, 'displayName')), at);
}

function readFile(file: JsonObject, at: string): MediaPart {
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

export class CallHistory {
  readonly #ids = new CallIds();
  /** Ids of calls without an answer, by the function's name. */
  readonly #open = new Map<string, string[]>();

  add(id: string | undefined, name: string): string {
    const own = this.#ids.add(id ?? `call_${name}`);
    const open = this.#open.get(name) ?? [];
    open.push(own);
    this.#open.set(name, open);
    return own;
  }

  find(id: string | undefined, name: string): string {
    const open = this.#open.get(name) ?? [];
    const named = id === undefined ? undefined : this.#ids.find(id);
    const index = named === undefined ? 0 : open.indexOf(named);
    const [found] = open.splice(Math.max(index, 0), 1);
    return index < 0 ? (named ?? '') : (found ?? named ?? `call_${name}`);
  }
}
