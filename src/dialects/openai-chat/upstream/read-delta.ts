// The content of a chat message or delta, in the fields of any upstream: reasoning, text, images, a refusal, calls, sources.

import { isObject, type Json, type JsonObject, objectsOf } from '../../../kit/json/json.ts';
import type { RawPlace } from '../../../kit/json/raw-json.ts';
import { nonEmptyString } from '../../fields.ts';
import { pictureText, type UrlCitation } from '../../translate/answer-events.ts';
import { toolCalls } from '../read-answer.ts';

export interface CallDelta {
  index: number | undefined;
  id: string | undefined;
  name: string | undefined;
  arguments: string;
  signature: string | undefined;
}

export interface Words {
  kind: 'reasoning' | 'text' | 'refusal';
  text: string;
}

export type DeltaPart =
  | Words
  /** As a text that represents the image. */
  | { kind: 'picture'; text: string }
  | { kind: 'details'; list: JsonObject[] }
  | { kind: 'call'; call: CallDelta /** Among the calls of this message. */; position: number }
  | { kind: 'citation'; citation: UrlCitation };

/** `raw`: the place of the message in the upstream's JSON text. */
export function readDelta(message: JsonObject, raw: () => RawPlace | undefined): DeltaPart[] {
  const { reasoning_content: content, reasoning } = message;
  const parts: DeltaPart[] = [
    ...textPart('reasoning', typeof content === 'string' && content !== '' ? content : reasoning),
    ...readDetails(message.reasoning_details),
    ...readContent(message.content),
    ...readCitations(message.annotations),
    ...readPictures(message.images),
    ...textPart('refusal', message.refusal),
  ];
  toolCalls(message).forEach((call, position) => {
    const place = () => raw()?.at('tool_calls')?.at(position)?.at('function');
    parts.push({ kind: 'call', call: readCall(call, place), position });
  });
  if (isObject(message.function_call)) {
    const call = readCall({ function: message.function_call }, () => raw()?.at('function_call'));
    parts.push({ kind: 'call', call, position: 0 });
  }
  return parts;
}

function textPart(kind: 'reasoning' | 'text' | 'refusal', text: Json | undefined): DeltaPart[] {
  return typeof text === 'string' && text !== '' ? [{ kind, text }] : [];
}

function readDetails(details: Json | undefined): DeltaPart[] {
  const list = objectsOf(details);
  return list.length > 0 ? [{ kind: 'details', list }] : [];
}

/** A text, or parts; some upstreams put thoughts among them. */
function readContent(content: Json | undefined): DeltaPart[] {
  if (!Array.isArray(content)) return textPart('text', content);
  return content.filter(isObject).flatMap((part): DeltaPart[] => {
    if (part.type === 'thinking') return textPart('reasoning', thoughtOf(part.thinking));
    return part.type === 'refusal' ? textPart('refusal', part.refusal) : textPart('text', part.text);
  });
}

/** OpenRouter's place for pictures that a model made. */
function readPictures(images: Json | undefined): DeltaPart[] {
  return objectsOf(images).flatMap(({ image_url: image }): DeltaPart[] => {
    const address = isObject(image) ? nonEmptyString(image.url) : undefined;
    return address === undefined ? [] : [{ kind: 'picture', text: pictureText(address) }];
  });
}

function thoughtOf(thinking: Json | undefined): Json | undefined {
  if (!Array.isArray(thinking)) return thinking;
  return thinking.map((part) => (isObject(part) && typeof part.text === 'string' ? part.text : '')).join('');
}

function readCall(call: JsonObject, raw: () => RawPlace | undefined): CallDelta {
  const fields = isObject(call.function) ? call.function : {};
  const given = fields.arguments;
  return {
    index: typeof call.index === 'number' ? call.index : undefined,
    id: nonEmptyString(call.id),
    name: nonEmptyString(fields.name),
    // Some upstreams send an object instead of a text: then its JSON text is used.
    arguments: isObject(given) ? (raw()?.at('arguments')?.text ?? '') : (nonEmptyString(given) ?? ''),
    signature: signatureOf(call.extra_content),
  };
}

function signatureOf(extra: Json | undefined): string | undefined {
  return isObject(extra) && isObject(extra.google) ? nonEmptyString(extra.google.thought_signature) : undefined;
}

function readCitations(annotations: Json | undefined): DeltaPart[] {
  return objectsOf(annotations).flatMap(({ url_citation: cited }): DeltaPart[] => {
    if (!isObject(cited) || typeof cited.url !== 'string') return [];
    const { url, title, start_index: start, end_index: end } = cited;
    const citation: UrlCitation = {
      url,
      title: nonEmptyString(title) ?? url,
      start: typeof start === 'number' ? start : 0,
      end: typeof end === 'number' ? end : 0,
    };
    return [{ kind: 'citation', citation }];
  });
}
