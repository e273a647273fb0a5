// Whether a request may go to a Gemini upstream as the client wrote it. It may if the gateway knows what every member of it can
// cost. Otherwise it is translated, which drops or refuses the rest: tools of Google without a price, stored files, sound.

import { isObject, type Json, type JsonObject, objectsOf } from '../../kit/json/json.ts';
import { geminiTraits } from '../../vendors/gemini.ts';
import type { PricedTool } from '../../vendors/tools.ts';
import type { RelayRequest, ToolPrices } from '../dialect.ts';
import { readTagged } from '../translate/opaque.ts';
import { HOSTED, hostedTools } from './hosted-tools.ts';
import { camelName, member, snakeName } from './member.ts';

/** `model`, `stream` and `alt` are from the URL. */
const BODY = named('model', 'stream', 'alt', 'contents', 'systemInstruction', 'tools', 'toolConfig', 'safetySettings');
const CONFIG = named(
  ...['temperature', 'topP', 'topK', 'seed', 'frequencyPenalty', 'presencePenalty', 'stopSequences', 'maxOutputTokens'],
  ...['responseMimeType', 'responseSchema', 'responseJsonSchema', 'candidateCount', 'responseModalities'],
  ...['thinkingConfig', 'mediaResolution'],
);
/** With these, media are never more tokens than without. */
const PLAIN_RESOLUTIONS: ReadonlySet<Json> = new Set(
  ['UNSPECIFIED', 'LOW', 'MEDIUM'].map((name) => `MEDIA_RESOLUTION_${name}`),
);
const CONTENT = named('role', 'parts');
/** The code that Google ran, and its result. */
const RAN = ['executableCode', 'codeExecutionResult'];
const PART = named('text', 'thought', 'thoughtSignature', 'functionCall', 'functionResponse', 'inlineData', ...RAN);
const CALL = named('id', 'name', 'args');
const RESULT = named('id', 'name', 'response');
const INLINE = named('mimeType', 'data', 'displayName');
const TOOLS = named('functionDeclarations', ...HOSTED.keys());
const SEARCH_SETTINGS = named('timeRangeFilter', 'excludeDomains');
const NO_SETTINGS = named();
const TOOL_CONFIG = named('functionCallingConfig');

interface Found {
  isPlain: boolean;
  /** Every model turn with calls has a signature at its first call. */
  isSigned: boolean;
  /** The tools that Google runs. */
  hosted: readonly PricedTool[];
}

/** A request may be considered for several routes. */
const FOUND = new WeakMap<RelayRequest, Found>();

export function canPass(request: RelayRequest, model: string, toolPrices: ToolPrices): boolean {
  let found = FOUND.get(request);
  if (!found) {
    const body = request.document.value;
    const isPlain = isPlainBody(body);
    const isSigned = isPlain && listOf(body.contents).every(isSignedTurn);
    found = { isPlain, isSigned, hosted: isPlain ? hostedTools(body) : [] };
    FOUND.set(request, found);
  }
  const { isPlain, isSigned, hosted } = found;
  if (!isPlain || !hosted.every((tool) => toolPrices?.has(tool) === true)) return false;
  return isSigned || !geminiTraits(model).wantsSignatures;
}

function isPlainBody(body: JsonObject): boolean {
  const { generationConfig: config, generation_config: snaked, ...rest } = body;
  if (config !== undefined && snaked !== undefined) return false;
  return (
    hasOnly(rest, BODY) &&
    listOf(body.contents).every(isPlainContent) &&
    isPlainContent(member(body, 'systemInstruction') ?? {}) &&
    isPlainConfig(config ?? snaked ?? {}) &&
    listOf(body.tools ?? []).every(isPlainTool) &&
    isPlainObject(member(body, 'toolConfig') ?? {}, TOOL_CONFIG)
  );
}

function isPlainConfig(config: Json): boolean {
  if (!isPlainObject(config, CONFIG)) return false;
  const modalities = member(config, 'responseModalities') ?? [];
  const isText = Array.isArray(modalities) && modalities.every((one) => one === 'TEXT');
  const resolution = member(config, 'mediaResolution');
  if (resolution !== undefined && !PLAIN_RESOLUTIONS.has(resolution)) return false;
  return isText && (member(config, 'candidateCount') ?? 1) === 1;
}

function isPlainTool(tool: Json): boolean {
  if (!isPlainObject(tool, TOOLS)) return false;
  return Object.entries(tool).every(([name, settings]) => {
    const hosted = HOSTED.get(camelName(name));
    if (hosted === undefined) return true;
    return isPlainObject(settings ?? {}, hosted === 'web_search' ? SEARCH_SETTINGS : NO_SETTINGS);
  });
}

function isPlainContent(content: Json): boolean {
  return isPlainObject(content, CONTENT) && listOf(content.parts ?? []).every(isPlainPart);
}

function isPlainPart(part: Json): boolean {
  if (!isPlainObject(part, PART)) return false;
  const signature = member(part, 'thoughtSignature');
  return (
    isPlainObject(member(part, 'functionCall') ?? {}, CALL) &&
    isPlainObject(member(part, 'functionResponse') ?? {}, RESULT) &&
    isPlainObject(member(part, 'inlineData') ?? {}, INLINE) &&
    // A signature that the gateway wrote means nothing to Google.
    (typeof signature !== 'string' || readTagged(signature) === undefined)
  );
}

function isSignedTurn(content: Json): boolean {
  if (!isObject(content) || content.role !== 'model') return true;
  const first = objectsOf(listOf(content.parts ?? [])).find((part) => member(part, 'functionCall') !== undefined);
  return first === undefined || member(first, 'thoughtSignature') !== undefined;
}

function isPlainObject(value: Json, names: ReadonlySet<string>): value is JsonObject {
  return isObject(value) && hasOnly(value, names);
}

/** Under one spelling each: which of two counts is Google's to decide. */
function hasOnly(object: JsonObject, names: ReadonlySet<string>): boolean {
  for (const name in object) {
    const snaked = snakeName(name);
    if (!names.has(name) || (snaked !== name && object[snaked] !== undefined)) return false;
  }
  return true;
}

/** A list of one may come without its brackets. */
function listOf(value: Json | undefined): Json[] {
  if (Array.isArray(value)) return value;
  return value === undefined ? [] : [value];
}

function named(...names: string[]): ReadonlySet<string> {
  return new Set(names.flatMap((name) => [name, snakeName(name)]));
}
