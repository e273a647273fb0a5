// The OpenAI embeddings format. Clients ask for floats or for base64; whichever the upstream gives, they get what they
// asked for: a client that decodes the wrong one gets wrong vectors without an error.

import { fault } from '../../faults/fault.ts';
import {
  editMembers,
  isObject,
  type Json,
  type JsonDocument,
  type JsonObject,
  objectsOf,
} from '../../kit/json/json.ts';
import { isMark, type LongMember, parseLong } from '../../kit/json/long-members.ts';
import { checkReport } from '../counts.ts';
import { type AnswerFacts, type Dialect, type LongMemberRules, NO_OUTPUT, type RelayRequest } from '../dialect.ts';
import { readUsage } from '../openai-chat/usage.ts';
import { withoutFields } from '../removals/remove-fields.ts';
import { NEVER_STREAMS } from '../stream/never-streams.ts';
import { readRequest } from './read-request.ts';

/** The size of one vector: as many numbers as the largest models return, each on a separate line with all digits. */
const MAX_NUMBERS = 4_096;
const NUMBER_BYTES = 32;

export const LONG_MEMBERS: LongMemberRules = {
  member: 'embedding',
  mostBytes: ({ document }) => inputsOf(document.value.input) * MAX_NUMBERS * NUMBER_BYTES,
  write: writeLong,
  tooLarge,
};

function inputsOf(input: Json | undefined): number {
  return Array.isArray(input) && typeof input[0] !== 'number' ? input.length : 1;
}

export const openaiEmbeddings: Dialect = {
  endpoint: 'embeddings',
  envelope: 'openai',
  request: {
    promptField: 'input',
    read: readRequest,
    write: ({ document }, { model }, removed) => editMembers(document, withoutFields({ model }, removed)),
  },
  answer: { read: readAnswer, write: writeAnswer, longMembers: LONG_MEMBERS },
  stream: NEVER_STREAMS,
};

/** With another number of vectors than of inputs the upstream has failed, and nothing is charged. */
function readAnswer(document: JsonDocument, request?: RelayRequest): AnswerFacts | undefined {
  const { value } = document;
  if (!Array.isArray(value.data) || value.data.length === 0) return undefined;
  if (!value.data.every((item) => isObject(item) && isVector(document, item.embedding))) return undefined;
  const { usage } = value;
  // There is no completion: many upstreams omit its count, and it cannot be derived from a total.
  const whole = isObject(usage)
    ? { ...usage, completion_tokens: usage.completion_tokens ?? 0, total_tokens: null }
    : usage;
  const output = { ...NO_OUTPUT, hasContent: true };
  const gaveUp = request !== undefined && value.data.length !== inputsOf(request.document.value.input);
  return { usage: checkReport(readUsage(whole), output), output, finish: 'other', gaveUp };
}

/** Packed, or a list of numbers; other values would be converted to wrong numbers, or to none. */
function isVector(document: JsonDocument, embedding: Json | undefined): boolean {
  if (typeof embedding === 'string') return isMark(document, embedding) || isPacked(embedding);
  return Array.isArray(embedding) && embedding.length > 0 && embedding.every(Number.isFinite);
}

function writeAnswer(document: JsonDocument, model: string, { document: asked }: RelayRequest): string {
  const wanted = wantsPacked(asked) ? 'string' : 'object';
  const data = objectsOf(document.value.data);
  // Long members are converted when they are sent.
  const isOther = ({ embedding }: JsonObject) => typeof embedding !== wanted && !isMark(document, embedding);
  if (!data.some(isOther)) return editMembers(document, { model });
  const converted = data.map((item) =>
    isOther(item) ? { ...item, embedding: convert(item.embedding, wanted) } : item,
  );
  return editMembers(document, { model, data: converted });
}

function convert(embedding: Json | undefined, wanted: 'string' | 'object'): Json {
  if (wanted === 'string' && Array.isArray(embedding)) return packFloats(embedding.map(Number));
  if (wanted === 'object' && typeof embedding === 'string') return unpackFloats(embedding);
  return embedding ?? null;
}

function writeLong(member: LongMember, { document }: RelayRequest): Iterable<string | Uint8Array> {
  const isPacked = member.kind === 'string';
  if (isPacked === wantsPacked(document)) return member.chunks;
  return [JSON.stringify(convert(parseLong(member), isPacked ? 'object' : 'string'))];
}

function tooLarge({ document }: RelayRequest) {
  const packed = wantsPacked(document) ? '' : ', or set encoding_format to base64, which is a third as long';
  return fault('invalid_request', {
    param: 'input',
    message: `The vectors of all inputs are larger than one answer can hold. Nothing was charged. Send fewer inputs at once${packed}.`,
  });
}

/** Vectors as text: little-endian 32-bit floats in base64, as the official clients ask for and decode them. */
function wantsPacked({ value }: JsonDocument): boolean {
  return value.encoding_format === 'base64';
}

function packFloats(values: readonly number[]): string {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) bytes.writeFloatLE(value, index * 4);
  return bytes.toString('base64');
}

/** At least one whole number of 4 bytes. */
function isPacked(text: string): boolean {
  const bytes = Buffer.byteLength(text, 'base64');
  return bytes > 0 && bytes % 4 === 0;
}

export function unpackFloats(text: string): number[] {
  const bytes = Buffer.from(text, 'base64');
  return Array.from({ length: Math.floor(bytes.length / 4) }, (_, index) => bytes.readFloatLE(index * 4));
}
