// An embeddings request of a Gemini client, one text or a batch, as one in the OpenAI format, which all upstreams of such models
// have. What that has no place for is kept by its name, because it is reported as dropped.

import { type JsonDocument, type JsonObject, readJsonObject } from '../../kit/json/json.ts';
import type { RelayRequest } from '../dialect.ts';
import { MAX_TOKENS, optionalCount, readModel, refuseField } from '../fields.ts';
import { camelName, member, objectMember, objectsAt } from '../gemini/member.ts';
import { openaiEmbeddings } from '../openai-embeddings/dialect.ts';
import { isAsked } from '../removals/removals.ts';

const MAX_REQUESTS = 2_048;
const DIMENSIONS = 'outputDimensionality';
const CONFIG = 'embedContentConfig';
const READ: ReadonlySet<string> = new Set(['model', 'content', 'requests', DIMENSIONS, CONFIG]);

/** By the request that was written: the client's settings that are not in it. */
const LEFT_OUT = new WeakMap<JsonObject, readonly string[]>();

export function leftOut(body: JsonObject): readonly string[] {
  return LEFT_OUT.get(body) ?? [];
}

export function readRequest(document: JsonDocument, isBatch: boolean): RelayRequest {
  const model = readModel(document);
  const { value: body } = document;
  const requests = isBatch ? readBatch(body) : [body];
  const at = (index: number, name: string) => (isBatch ? `requests[${index}].${name}` : name);
  const input = requests.map((request, index) => readText(request, at(index, 'content')));
  for (const [index, { model: named }] of requests.entries()) {
    if (named !== undefined && named !== null && named !== model && named !== `models/${model}`) {
      refuseField(at(index, 'model'), `${at(index, 'model')} must be the model of the URL.`);
    }
  }
  const [dimensions, ...others] = requests.map((request) => optionalCount(settingsOf(request), DIMENSIONS, MAX_TOKENS));
  const other = others.findIndex((one) => one !== dimensions);
  if (other >= 0) {
    const place = at(other + 1, DIMENSIONS);
    refuseField(place, `All requests of a batch need the same ${DIMENSIONS}. Send ${place} in a separate call.`);
  }
  const written = readJsonObject(JSON.stringify({ model, input, dimensions }));
  const names = new Set([...requests, ...(isBatch ? [body] : [])].flatMap(namesLeftOut));
  LEFT_OUT.set(written.value, [...names]);
  return openaiEmbeddings.request.read(written);
}

function readBatch({ requests }: JsonObject): readonly JsonObject[] {
  const list = objectsAt(requests, 'requests');
  if (list.length === 0) refuseField('requests', 'requests must be a list with at least one request.');
  if (list.length > MAX_REQUESTS) {
    refuseField('requests', `requests has more than ${MAX_REQUESTS} items. Send fewer at once.`);
  }
  return list;
}

function readText(request: JsonObject, at: string): string {
  const content = objectMember(request, 'content', at);
  if (!content) return refuseField(at, `${at} is missing. Set it to an object with parts.`);
  const texts = objectsAt(content.parts, `${at}.parts`).map(({ text }, index) => {
    if (typeof text === 'string') return text;
    const place = `${at}.parts[${index}]`;
    return refuseField(place, `Only text can be embedded. Make ${place} a text, or remove it.`);
  });
  const text = texts.join('\n');
  return text === '' ? refuseField(at, `${at} has no text.`) : text;
}

/** Google's platforms have settings in the request, or in an object of their own. */
function settingsOf(request: JsonObject): JsonObject {
  const nested = objectMember(request, CONFIG) ?? {};
  return { [DIMENSIONS]: member(request, DIMENSIONS) ?? member(nested, DIMENSIONS) };
}

function namesLeftOut(request: JsonObject): string[] {
  return Object.entries({ ...objectMember(request, CONFIG), ...request })
    .filter(([name, value]) => !READ.has(camelName(name)) && isAsked(value))
    .map(([name]) => camelName(name));
}
