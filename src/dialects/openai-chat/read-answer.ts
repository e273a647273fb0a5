// Reads a whole chat answer: whether it is complete, its usage and its output; and the content of a message or delta, segment by
// segment, each in its slot.

import { isObject, type Json, type JsonDocument, type JsonObject, objectsOf } from '../../kit/json/json.ts';
import { madeImages, madeSound } from '../../kit/tokens.ts';
import { checkReport, hasCounted, outputOfSegments, weighSegments } from '../counts.ts';
import { type AnswerFacts, addOutput, NO_OUTPUT, type Output, type Segment } from '../dialect.ts';
import { typicalTokens } from '../input/tool-use.ts';
import { isFinish } from '../stream/is-finish.ts';
import { hasLogprobs, isBroken, isError, laterFinish, readFinish } from './read-chunk.ts';
import { readUsage } from './usage.ts';

export function readAnswer({ value }: JsonDocument): AnswerFacts | undefined {
  const { choices } = value;
  if (isError(value) || !Array.isArray(choices) || choices.length === 0) return undefined;
  const usage = readUsage(value.usage, value.service_tier);
  const isCounted = hasCounted(usage);
  let output: Output = NO_OUTPUT;
  let finish: AnswerFacts['finish'] = 'other';
  for (let index = 0; index < choices.length; index++) {
    const choice = choices[index];
    if (!isObject(choice) || !isObject(choice.message)) return undefined;
    if (!isFinish(choice.finish_reason) || isBroken(choice)) return undefined;
    finish = laterFinish(finish, readFinish(choice));
    const segments = readSegments(choice.message, index);
    const said = outputOf(segments, isCounted ? 0 : weighSegments(segments));
    if (hasLogprobs(choice)) said.hasContent = true;
    said.mediaTokens = weighMedia(choice.message);
    output = index === 0 ? said : addOutput(output, said);
    output.toolInput ||= searchedInput(choice.message);
  }
  if (output.toolInput) output = { ...output, toolCalls: ONE_SEARCH };
  return { usage: checkReport(usage, output), output, finish };
}

const REASONING_FIELDS = ['reasoning_content', 'reasoning'] as const;
const REASONING_SLOTS = REASONING_FIELDS.map((name) => `/${name}`);
const CALL_KINDS = ['function', 'custom'] as const;

/** `choice` is the index of the choice it belongs to. */
export function readSegments(message: Json | undefined, choice: number): Segment[] {
  const segments: Segment[] = [];
  if (!isObject(message)) return segments;
  for (const name of REASONING_FIELDS)
    if (!isDuplicateReasoning(message, name)) addSegment(segments, choice, name, message[name]);
  addContent(segments, choice, message.content);
  addSegment(segments, choice, 'refusal', message.refusal);
  if (isObject(message.function_call)) addCall(segments, choice, 'call', message.function_call);
  if (message.tool_calls !== undefined) addToolCalls(segments, choice, toolCalls(message));
  if (isObject(message.audio)) addSegment(segments, choice, 'audio/transcript', message.audio.transcript);
  if (hasMedia(message)) segments.push({ slot: `${choice}/media`, text: '' });
  return segments;
}

function addSegment(segments: Segment[], choice: number, slot: string, text: Json | undefined): void {
  if (typeof text === 'string' && text !== '') segments.push({ slot: `${choice}/${slot}`, text });
}

/** Some upstreams answer in parts, as clients ask; a part that is not text also counts as content. */
function addContent(segments: Segment[], choice: number, content: Json | undefined): void {
  if (!Array.isArray(content)) {
    addSegment(segments, choice, 'content', content);
    return;
  }
  for (const part of content) {
    const isText = isObject(part) && typeof part.text === 'string';
    addSegment(segments, choice, 'content', isText ? part.text : JSON.stringify(part));
  }
}

function addToolCalls(segments: Segment[], choice: number, calls: readonly JsonObject[]): void {
  for (const [position, call] of calls.entries()) {
    const index = typeof call.index === 'number' ? call.index : position;
    for (const kind of CALL_KINDS) {
      if (isObject(call[kind])) addCall(segments, choice, `tool/${index}`, call[kind]);
    }
  }
}

function addCall(segments: Segment[], choice: number, slot: string, call: JsonObject): void {
  addSegment(segments, choice, `${slot}/name`, call.name);
  addSegment(segments, choice, `${slot}/arguments`, call.arguments);
  addSegment(segments, choice, `${slot}/input`, call.input);
}

function hasMedia({ audio, images }: JsonObject): boolean {
  return isObject(audio) || (Array.isArray(images) && images.length > 0);
}

/** The same thought under both names, for clients that know one of them, is one thought. */
export function isDuplicateReasoning({ reasoning, reasoning_content: content }: JsonObject, name: string): boolean {
  return name === 'reasoning' && reasoning === content;
}

/** The usage counted for a search of which only sources are shown. */
export const ONE_SEARCH = { web_search: 1 };

/** No call of an upstream's own tool is shown in this format; sources that are cited come from one search at least. */
export function searchedInput(message: Json | undefined): number {
  const cites = isObject(message) && Array.isArray(message.annotations) && message.annotations.length > 0;
  return cites ? typicalTokens('web_search') : 0;
}

export function toolCalls(message: JsonObject): JsonObject[] {
  return objectsOf(message.tool_calls);
}

export function isReasoning({ slot }: Pick<Segment, 'slot'>): boolean {
  for (const end of REASONING_SLOTS) if (slot.endsWith(end)) return true;
  return false;
}

/** The most tokens that the pictures and sounds of a message can be. */
export function weighMedia(message: Json | undefined): number {
  if (!isObject(message) || !hasMedia(message)) return 0;
  const { audio, images } = message;
  const sound = isObject(audio) && typeof audio.data === 'string' ? madeSound(audio.data.length) : 0;
  return sound + madeImages(Array.isArray(images) ? images.length : 0);
}

export function outputOf(segments: readonly Segment[], tokens: number = weighSegments(segments)): Output {
  return outputOfSegments(segments, isReasoning, tokens);
}

const TEXT_SLOTS = ['0/content', '0/refusal'];

/** The text of a whole answer's first choice, for the MCP tool that returns it in another form. A refusal counts as text. */
export function readAnswerText({ model, choices }: JsonObject) {
  const [choice] = Array.isArray(choices) ? choices : [];
  const { message, finish_reason: finish } = isObject(choice) ? choice : {};
  const segments = readSegments(message, 0).filter(({ slot }) => TEXT_SLOTS.includes(slot));
  return {
    model: typeof model === 'string' ? model : '',
    text: segments.map(({ text }) => text).join(''),
    finishReason: typeof finish === 'string' ? finish : null,
  };
}
