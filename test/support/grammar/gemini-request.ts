// What Gemini would refuse of a request: throws on the first such thing.

import type { Answer } from '../answer.ts';
import { must, mustHaveOnly } from './told.ts';

const MEMBERS = [
  'contents',
  'systemInstruction',
  'tools',
  'toolConfig',
  'generationConfig',
  'safetySettings',
  'labels',
];
const PART_KINDS = ['text', 'inlineData', 'fileData', 'functionCall', 'functionResponse'];
const PART_MORE = ['thought', 'thoughtSignature'];
const CONFIG = [
  ...['maxOutputTokens', 'temperature', 'topP', 'topK', 'stopSequences', 'seed', 'candidateCount', 'thinkingConfig'],
  ...['frequencyPenalty', 'presencePenalty', 'responseMimeType', 'responseJsonSchema', 'responseSchema'],
  ...['responseLogprobs', 'logprobs', 'responseModalities'],
];
const SCHEMA = [
  ...['type', 'format', 'title', 'description', 'nullable', 'enum', 'maxItems', 'minItems', 'properties', 'required'],
  ...['minProperties', 'maxProperties', 'minLength', 'maxLength', 'pattern', 'example', 'anyOf', 'propertyOrdering'],
  ...['default', 'items', 'minimum', 'maximum'],
];
const MAX_STOPS = 5;

export function checkGeminiRequest(body: Answer): void {
  mustHaveOnly(body, MEMBERS, 'the request');
  must(Array.isArray(body.contents) && body.contents.length > 0, 'no contents');
  must(body.contents[0].role === 'user', `begins with ${body.contents[0].role}`);
  for (const [index, { role, parts }] of body.contents.entries()) {
    must(role === 'user' || role === 'model', `the role ${role}`);
    must(role !== body.contents[index - 1]?.role, `two turns of ${role} in a row`);
    must(Array.isArray(parts) && parts.length > 0, 'a turn without parts');
    for (const part of parts) checkPart(part, role);
  }
  checkCalls(body.contents);
  for (const part of body.systemInstruction?.parts ?? []) must(part.text, 'an empty instruction');
  mustHaveOnly(body.generationConfig ?? {}, CONFIG, 'generationConfig');
  must((body.generationConfig?.stopSequences ?? []).length <= MAX_STOPS, 'too many stop sequences');
  must(Number.isInteger(body.generationConfig?.maxOutputTokens), 'no bound on the output');
  for (const tool of body.tools ?? []) for (const one of tool.functionDeclarations ?? []) checkFunction(one);
}

function checkPart(part: Answer, role: string): void {
  mustHaveOnly(part, [...PART_KINDS, ...PART_MORE], 'a part');
  must(PART_KINDS.filter((kind) => part[kind] !== undefined).length === 1, 'a part that is not one thing');
  must(part.text !== '', 'an empty part');
  if (part.functionCall) {
    must(role === 'model', 'a call by the user');
    must(isObject(part.functionCall.args ?? {}), 'args are no object');
  }
  if (part.functionResponse) {
    must(role === 'user', 'a response by the model');
    must(isObject(part.functionResponse.response), 'a response that is no object');
  }
}

/** The turn after one with calls answers all of them, by their names and in their order. */
function checkCalls(contents: Answer[]): void {
  for (const [index, { role, parts }] of contents.entries()) {
    if (role !== 'user') continue;
    const answered = parts.flatMap((part: Answer) => part.functionResponse?.name ?? []);
    const before: Answer[] = contents[index - 1]?.parts ?? [];
    const called = before.flatMap((part) => part.functionCall?.name ?? []);
    must(answered.join() === called.join(), `calls of ${called} with responses of ${answered}`);
  }
}

function checkFunction(one: Answer): void {
  mustHaveOnly(one, ['name', 'description', 'parameters', 'parametersJsonSchema', 'behavior'], 'a function');
  must(/^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/.test(one.name), `a function is called ${one.name}`);
  must(!one.parameters || !one.parametersJsonSchema, 'two schemas');
  if (one.parameters) checkSchema(one.parameters);
}

function checkSchema(schema: Answer): void {
  mustHaveOnly(schema, SCHEMA, 'a schema');
  for (const inner of Object.values(schema.properties ?? {})) checkSchema(inner);
  for (const inner of schema.anyOf ?? []) checkSchema(inner);
  if (schema.items) checkSchema(schema.items);
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
