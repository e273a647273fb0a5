// Whether a request may go to a Gemini upstream as the client wrote it. It may if the gateway knows what every member of it can
// cost. Otherwise it is translated, which drops or refuses the rest: tools of Google without a price, stored files, sound.

import { isObject, type Json, objectsOf } from '../../kit/json/json.ts';
import { geminiTraits } from '../../vendors/gemini.ts';
import type { PricedTool } from '../../vendors/tools.ts';
import type { RelayRequest, ToolPrices } from '../dialect.ts';
import { readTagged } from '../translate/opaque.ts';
import { hostedTools } from './hosted-tools.ts';
import { member, snakeName } from './member.ts';

type Check = (value: Json) => boolean;

/** An object with only these members, each of which passes its check or is null. Google reads two spellings of a name. */
function members(checks: Readonly<Record<string, Check>>): Check {
  const named = Object.entries(checks);
  const known = new Map([...named, ...named.map(([name, check]) => [snakeName(name), check] as const)]);
  return (value) => {
    if (!isObject(value)) return false;
    for (const name in value) {
      const check = known.get(name);
      const snaked = snakeName(name);
      // Under one spelling each: which of two counts is Google's to decide.
      if (!check || (snaked !== name && value[snaked] !== undefined)) return false;
      const { [name]: given = null } = value;
      if (given !== null && !check(given)) return false;
    }
    return true;
  };
}

/** Members whose value makes no difference. */
function anyValue(...names: string[]): Record<string, Check> {
  return Object.fromEntries(names.map((name) => [name, () => true]));
}

/** A list of one may come without its brackets. */
function list(check: Check): Check {
  return (value) => (Array.isArray(value) ? value.every(check) : check(value));
}

const isContent = members({
  ...anyValue('role'),
  parts: list(
    members({
      // The last two are code that Google ran, and its result.
      ...anyValue('text', 'thought', 'executableCode', 'codeExecutionResult'),
      // A signature that the gateway wrote means nothing to Google.
      thoughtSignature: (signature) => typeof signature !== 'string' || readTagged(signature) === undefined,
      functionCall: members(anyValue('id', 'name', 'args')),
      functionResponse: members(anyValue('id', 'name', 'response')),
      inlineData: members(anyValue('mimeType', 'data', 'displayName')),
    }),
  ),
});
/** With these, media are never more tokens than without. */
const PLAIN_RESOLUTIONS: ReadonlySet<Json> = new Set(
  ['UNSPECIFIED', 'LOW', 'MEDIUM'].map((name) => `MEDIA_RESOLUTION_${name}`),
);
const isPlainBody = members({
  // `model`, `stream` and `alt` are from the URL.
  ...anyValue('model', 'stream', 'alt', 'safetySettings'),
  contents: list(isContent),
  systemInstruction: isContent,
  tools: list(
    members({
      ...anyValue('functionDeclarations'),
      googleSearch: members(anyValue('timeRangeFilter', 'excludeDomains')),
      urlContext: members({}),
      codeExecution: members({}),
    }),
  ),
  toolConfig: members(anyValue('functionCallingConfig')),
  generationConfig: members({
    ...anyValue('temperature', 'topP', 'topK', 'seed', 'frequencyPenalty', 'presencePenalty', 'stopSequences'),
    ...anyValue('maxOutputTokens', 'responseMimeType', 'responseSchema', 'responseJsonSchema', 'thinkingConfig'),
    candidateCount: (count) => count === 1,
    responseModalities: (modalities) => Array.isArray(modalities) && modalities.every((one) => one === 'TEXT'),
    mediaResolution: (resolution) => PLAIN_RESOLUTIONS.has(resolution),
  }),
});

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

function isSignedTurn(content: Json): boolean {
  if (!isObject(content) || content.role !== 'model') return true;
  const first = objectsOf(listOf(content.parts ?? [])).find((part) => member(part, 'functionCall') !== undefined);
  return first === undefined || member(first, 'thoughtSignature') !== undefined;
}

/** A list of one may come without its brackets. */
function listOf(value: Json | undefined): Json[] {
  if (Array.isArray(value)) return value;
  return value === undefined ? [] : [value];
}
