// The OpenAI embeddings format. Clients ask for floats or for base64; whichever the upstream gives, they get what they
// asked for: a client that decodes the wrong one gets wrong vectors without an error.

import { fault } from '../../faults/fault.ts';
import { editMembers, isObject, type Json, type JsonDocument, objectsOf } from '../../kit/json/json.ts';
import { isMark, type LongMember, parseLong } from '../../kit/json/long-members.ts';
import { addTokens, countTokens, mostTokens, NO_TOKENS, sameTokens, type TokenCount } from '../../kit/tokens.ts';
import { checkReport } from '../counts.ts';
import {
  type AnswerFacts,
  type Dialect,
  type LongMemberRules,
  NO_CHAT,
  NO_OUTPUT,
  type RelayRequest,
} from '../dialect.ts';
import { readModel, refuseField } from '../fields.ts';
import type { InputCount } from '../input/count-input.ts';
import { NO_USE } from '../input/tool-use.ts';
import { readUsage } from '../openai-chat/usage.ts';
import { withoutFields } from '../removals/remove-fields.ts';
import { NEVER_STREAMS } from '../stream/bare-events.ts';

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

const MAX_INPUTS = 2048;
const MARKS = 2;

function readRequest(document: JsonDocument): RelayRequest {
  const { input, encoding_format: format } = document.value;
  if ((format ?? 'float') !== 'float' && format !== 'base64') {
    refuseField('encoding_format', 'encoding_format must be float or base64.');
  }
  return {
    ...NO_CHAT,
    model: readModel(document),
    stream: false,
    maxOutputTokens: 0,
    input: { ...countInputs(input), isOpen: false, toolUse: NO_USE },
    document,
  };
}

function countInputs(input: Json | undefined): TokenCount & Pick<InputCount, 'longest'> {
  if (typeof input === 'string' && input !== '') return countText(input);
  if (!Array.isArray(input) || input.length === 0 || input.length > MAX_INPUTS * MAX_INPUTS)
    return refuseInput('input');
  if (input.every(isToken)) return sameTokens(input.length);
  if (input.length > MAX_INPUTS) refuseField('input', `input has more than ${MAX_INPUTS} items. Send fewer at once.`);
  let sum = NO_TOKENS;
  let longest = NO_TOKENS;
  for (const [index, item] of input.entries()) {
    const count = countInput(item, index);
    sum = addTokens(sum, count);
    longest = mostTokens(longest, count);
  }
  return { ...sum, longest };
}

function countInput(item: Json, index: number): TokenCount {
  if (typeof item === 'string' && item !== '') return countText(item);
  if (Array.isArray(item) && item.length > 0 && item.every(isToken)) return sameTokens(item.length);
  return refuseInput(`input[${index}]`);
}

/** Many embedders put a mark before and after each text, and count both. */
function countText(text: string): TokenCount {
  const count = countTokens(text);
  return { ...count, upper: count.upper + MARKS };
}

function isToken(value: Json): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0;
}

function refuseInput(param: string): never {
  return refuseField(param, 'input must be a text, a list of texts, a list of token numbers, or a list of such lists.');
}

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
  const converted = data.map((item) => {
    const { embedding } = item;
    // Long members are converted when they are sent.
    const isWanted = typeof embedding === wanted || isMark(document, embedding);
    return isWanted ? item : { ...item, embedding: convert(embedding, wanted) };
  });
  const isSame = converted.every((item, index) => item === data[index]);
  return editMembers(document, isSame ? { model } : { model, data: converted });
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

/** Every machine that Bun runs on is little-endian. */
function packFloats(values: readonly number[]): string {
  return Buffer.from(new Float32Array(values).buffer).toString('base64');
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
