// The content of a chat message or delta, piece by piece, each in its slot.

import { isObject, type Json, type JsonObject } from '../../kit/json/json.ts';
import { weighTokens } from '../../kit/tokens.ts';
import type { Output, Piece } from '../dialect.ts';

const REASONING_FIELDS = ['reasoning_content', 'reasoning'] as const;

/** `choice` is the index of the choice it belongs to. */
export function readPieces(message: Json | undefined, choice: number): Piece[] {
  if (!isObject(message)) return [];
  const pieces: Piece[] = [];
  const add = (slot: string, text: Json | undefined) => {
    if (typeof text === 'string' && text !== '') pieces.push({ slot: `${choice}/${slot}`, text });
  };
  for (const name of REASONING_FIELDS) if (!saysTwice(message, name)) add(name, message[name]);
  for (const text of contentTexts(message.content)) add('content', text);
  add('refusal', message.refusal);
  if (isObject(message.function_call)) addCall(message.function_call, 'call', add);
  toolCalls(message).forEach((call, position) => {
    const index = typeof call.index === 'number' ? call.index : position;
    for (const kind of ['function', 'custom'] as const) {
      if (isObject(call[kind])) addCall(call[kind], `tool/${index}`, add);
    }
  });
  if (isObject(message.audio)) add('audio/transcript', message.audio.transcript);
  if (hasMedia(message)) pieces.push({ slot: `${choice}/media`, text: '' });
  return pieces;
}

function hasMedia({ audio, images }: JsonObject): boolean {
  return isObject(audio) || (Array.isArray(images) && images.length > 0);
}

/** The same thought under both names, for clients that know one of them, is one thought. */
export function saysTwice({ reasoning, reasoning_content: content }: JsonObject, name: string): boolean {
  return name === 'reasoning' && reasoning === content;
}

/** Some upstreams answer in parts, as clients ask; a part that is no text is content all the same. */
function contentTexts(content: Json | undefined): (Json | undefined)[] {
  if (!Array.isArray(content)) return [content];
  return content.map((part) => (isObject(part) && typeof part.text === 'string' ? part.text : JSON.stringify(part)));
}

export function toolCalls(message: JsonObject): JsonObject[] {
  return Array.isArray(message.tool_calls) ? message.tool_calls.filter(isObject) : [];
}

export function weighPieces(pieces: readonly Piece[]): number {
  let tokens = 0;
  for (const { text } of pieces) tokens += weighTokens(text);
  return tokens;
}

export function isReasoning({ slot }: Piece): boolean {
  return REASONING_FIELDS.some((name) => slot.endsWith(`/${name}`));
}

export function outputOf(pieces: readonly Piece[], tokens: number = weighPieces(pieces)): Output {
  return {
    hasContent: pieces.some((piece) => !isReasoning(piece)),
    hasReasoning: pieces.some(isReasoning),
    tokens,
    images: 0,
  };
}

function addCall(call: JsonObject, slot: string, add: (slot: string, text: Json | undefined) => void): void {
  add(`${slot}/name`, call.name);
  add(`${slot}/arguments`, call.arguments);
  add(`${slot}/input`, call.input);
}
