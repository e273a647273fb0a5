// Gemini answers, whole and as a stream of chunks in the same form: parts of one kind each, one reason at the end, and usage
// with it.

import type { Answer } from '../answer.ts';
import { parseSse } from '../sse.ts';
import { createTold, type Ending, must, mustHaveOnly, noteModel, type Told } from './told.ts';

const ENDINGS: Readonly<Record<string, Ending>> = { STOP: 'end', MAX_TOKENS: 'length', SAFETY: 'filter' };
const CHUNK = ['candidates', 'usageMetadata', 'modelVersion', 'responseId'];
const CANDIDATE = ['content', 'finishReason', 'finishMessage', 'index'];
const PART = ['text', 'thought', 'thoughtSignature', 'functionCall', 'inlineData'];
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

export function readGeminiWhole(answer: Answer): Told {
  const told = createTold();
  readChunk(told, answer);
  must(told.ends, 'no reason');
  must(Number.isInteger(told.usage?.totalTokenCount), 'no usage');
  told.complete = true;
  return told;
}

export function readGeminiStream(text: string): Told {
  return readChunks(
    parseSse(text).map(({ event, data, json }) => {
      must(event === undefined && json, `no chunk: ${data}`);
      return { chunk: json, text: data ?? '' };
    }),
  );
}

/** As it comes without `alt=sse`. */
export function readGeminiList(text: string): Told {
  return readChunks(JSON.parse(text).map((chunk: Answer) => ({ chunk, text: JSON.stringify(chunk) })));
}

function readChunks(chunks: readonly { chunk: Answer; text: string }[]): Told {
  const told = createTold();
  for (const { chunk, text } of chunks) {
    must(!told.complete && !told.error, 'a chunk after the end');
    if (chunk.error) {
      told.error = chunk.error;
      continue;
    }
    const calls = told.calls.length;
    readChunk(told, chunk);
    must(chunk.candidates[0].content.parts.length > 0, 'a chunk without a part');
    // A call is a chunk of its own: its arguments are compared as they were written.
    const [call] = told.calls.slice(calls);
    if (call) call.arguments = argumentsIn(text);
    must(!told.usage || told.ends, 'usage before the end');
    told.complete = told.ends !== undefined && told.usage !== undefined;
  }
  return told;
}

/** The first object behind `args`, as text. */
function argumentsIn(text: string): string {
  const rest = text.slice(text.indexOf('"args":') + '"args":'.length);
  let depth = 0;
  let isInText = false;
  for (let at = 0; at < rest.length; at++) {
    const char = rest[at];
    if (isInText && char === '\\') at++;
    else if (char === '"') isInText = !isInText;
    else if (!isInText && char === '{') depth++;
    else if (!isInText && char === '}' && --depth === 0) return rest.slice(0, at + 1);
  }
  return rest;
}

function readChunk(told: Told, chunk: Answer): void {
  mustHaveOnly(chunk, CHUNK, 'a chunk');
  noteModel(told, chunk.modelVersion);
  must(typeof chunk.responseId === 'string', 'no id');
  must(chunk.candidates.length === 1, 'not one candidate');
  const [candidate] = chunk.candidates;
  mustHaveOnly(candidate, CANDIDATE, 'a candidate');
  must(candidate.index === 0 && candidate.content.role === 'model', 'no candidate of the model');
  must(!told.ends, 'a candidate after its reason');
  for (const part of candidate.content.parts) readPart(told, part);
  told.usage = chunk.usageMetadata ?? told.usage;
  if (candidate.finishReason === undefined) return;
  const ending = ENDINGS[candidate.finishReason];
  must(ending, `an unknown reason: ${candidate.finishReason}`);
  told.ends = ending === 'end' && told.calls.length > 0 ? 'tool' : ending;
  told.refusal = candidate.finishMessage ?? told.refusal;
}

function readPart(told: Told, part: Answer): void {
  mustHaveOnly(part, PART, 'a part');
  const { text, functionCall: call, thoughtSignature: signature } = part;
  must(signature === undefined || BASE64.test(signature), `no base64: ${signature}`);
  if (call) {
    must(typeof call.id === 'string' && typeof call.name === 'string', 'a call without its members');
    must(typeof call.args === 'object' && !Array.isArray(call.args), 'args is no object');
    told.calls.push({ id: call.id, name: call.name, arguments: JSON.stringify(call.args) });
  } else if (part.inlineData) told.text += `![image](data:${part.inlineData.mimeType};base64,${part.inlineData.data})`;
  else {
    must(typeof text === 'string', 'a part without content');
    if (part.thought) told.reasoning += text;
    else told.text += text;
  }
}
