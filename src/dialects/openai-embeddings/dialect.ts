// The OpenAI embeddings format. Clients ask for floats or for base64; whichever the upstream gives, they get what they
// asked for: a client that decodes the wrong one gets wrong vectors without an error.

import { editMembers, isObject, type Json, type JsonDocument } from '../../kit/json/json.ts';
import { editBody } from '../../kit/json/request-json.ts';
import { type AnswerFacts, type Dialect, NO_OUTPUT, type RelayRequest } from '../dialect.ts';
import { withoutPriced } from '../left-behind/priced-fields.ts';
import { readUsage } from '../openai-chat/read-usage.ts';
import { NEVER_STREAMS } from '../stream/never-streams.ts';
import { readRequest } from './read-request.ts';

export const openaiEmbeddings: Dialect = {
  ...NEVER_STREAMS,
  envelope: 'openai',
  endpoint: 'embeddings',
  promptField: 'input',
  readRequest,
  writeRequest: ({ document }, { model }) => editBody(document, { model, ...withoutPriced(document.value) }),
  readAnswer,
  writeAnswer,
};

function readAnswer({ value }: JsonDocument): AnswerFacts | undefined {
  if (!Array.isArray(value.data) || value.data.length === 0) return undefined;
  if (!value.data.every((item) => isObject(item) && isVector(item.embedding))) return undefined;
  const { usage } = value;
  // There is no completion, so that many do not count it.
  const whole = isObject(usage) ? { ...usage, completion_tokens: usage.completion_tokens ?? 0 } : usage;
  return { usage: readUsage(whole), output: { ...NO_OUTPUT, hasContent: true }, finish: 'other' };
}

/** Packed, or a list of numbers: anything else among them would become a number that nobody has said. */
function isVector(embedding: Json | undefined): boolean {
  return typeof embedding === 'string' || (Array.isArray(embedding) && embedding.every(Number.isFinite));
}

function writeAnswer(document: JsonDocument, model: string, { document: asked }: RelayRequest): string {
  const wanted = asked.value.encoding_format === 'base64' ? 'string' : 'object';
  const data = Array.isArray(document.value.data) ? document.value.data.filter(isObject) : [];
  if (data.every(({ embedding }) => typeof embedding === wanted)) return editMembers(document, { model });
  const converted = data.map((item) => ({ ...item, embedding: convert(item.embedding, wanted) }));
  return editMembers(document, { model, data: converted });
}

function convert(embedding: Json | undefined, wanted: 'string' | 'object'): Json {
  if (wanted === 'string' && Array.isArray(embedding)) return packFloats(embedding.map(Number));
  if (wanted === 'object' && typeof embedding === 'string') return unpackFloats(embedding);
  return embedding ?? null;
}

/** Little-endian 32-bit floats in base64, as the official clients decode them. */
function packFloats(values: readonly number[]): string {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) bytes.writeFloatLE(value, index * 4);
  return bytes.toString('base64');
}

function unpackFloats(text: string): number[] {
  const bytes = Buffer.from(text, 'base64');
  return Array.from({ length: Math.floor(bytes.length / 4) }, (_, index) => bytes.readFloatLE(index * 4));
}
