// Sends one case through the gateway and compares what the upstream was sent and what the client was told.

import { expect } from 'bun:test';
import type { Answer } from '../support/answer.ts';
import type { Told } from '../support/grammar/told.ts';
import { nano } from '../support/nano.ts';
import { filledIn, valuesAt } from './expected.ts';
import { endingOf, PLAIN, type Reply, type Said } from './said.ts';
import { CLIENTS, replyScript, requestOf, UPSTREAMS } from './sides.ts';
import type { CaseOfPair, Expected, TranslationCase, Way } from './translation-case.ts';
import type { TranslationGateway } from './translation-gateway.ts';

/** What an upstream calls itself, its answers and its model: nothing that a client should see. */
const UPSTREAM_WORDS = ['upstream-model', 'chatcmpl-upstream', 'msg_upstream', 'upstream-response', 'resp_upstream'];

export async function runCase(setting: TranslationGateway, pair: CaseOfPair, way: Way): Promise<void> {
  const { gateway, key } = setting;
  const { case: one, client, upstream } = pair;
  const model = setting.modelOf(pair, way);
  gateway.upstream.reset();
  gateway.upstream.otherwise(replyScript(upstream, replyOf(pair), way === 'stream'));
  const { path, body } = requestFor(pair, model, way);
  const response = await gateway.call(path, {
    key,
    body,
    ...(one.headers ? { headers: one.headers } : {}),
  });
  const text = await response.text();
  const { requests } = gateway.upstream;
  const expectedStatus = one.status ?? (one.refused ? 400 : 200);
  expect(response.status, text).toBe(expectedStatus);
  // How often a failure is tried again is told elsewhere.
  const isFailure = expectedStatus !== 200 && !one.refused;
  const calls = one.calls ?? (one.refused ? 0 : isFailure ? requests.length : 1);
  expect(requests.length, 'calls of the upstream').toBe(calls);
  for (const { json, body } of requests) checkRequest(pair, json, body);
  for (const [name, value] of Object.entries(one.answerHeaders ?? {})) {
    const shown = response.headers.get(name);
    expect(value === '(some)' && shown ? value : (shown ?? '(absent)'), name).toBe(value);
  }
  if (expectedStatus !== 200) return checkFault(pair, text);
  expect(response.headers.get('x-svc-channel')).toBe(one.channel ?? model);
  expect(listOf(response, 'x-svc-dropped'), 'x-svc-dropped').toEqual(droppedOf(pair, way).sort());
  expect(listOf(response, 'x-svc-translated'), 'x-svc-translated').toEqual([...(one.translated ?? [])].sort());
  for (const hidden of [...UPSTREAM_WORDS, ...(one.hides ?? [])]) expect(text).not.toContain(hidden);
  const told = way === 'stream' ? CLIENTS[client].readStream(text) : CLIENTS[client].readWhole(JSON.parse(text));
  expect(told.complete, text).toBe(true);
  expect(told.models).toEqual([model]);
  checkTold(pair, told);
  const costs = one.costsAt?.[upstream] ?? one.costs;
  if (costs !== undefined) {
    const cost = way === 'stream' ? BigInt(told.usage.cost_nano) : nano(response.headers.get('x-svc-cost-ntd'));
    expect(cost, 'cost').toBe(BigInt(costs));
  }
  if (way !== 'whole') return;
  if (client === 'chat' && told.calls.length === 0) {
    expect(JSON.parse(text).choices[0].message.content, 'content without a call').toBeString();
  }
  compare(JSON.parse(text), one.shows?.[client]);
  for (const slice of one.showsText?.[client] ?? []) expect(text).toContain(slice);
}

function replyOf({ case: one, upstream }: CaseOfPair): Reply {
  return one.reply?.[upstream] ?? UPSTREAMS[upstream].says(one.says ?? PLAIN);
}

function requestFor({ case: one, client }: CaseOfPair, model: string, way: Way): { path: string; body: unknown } {
  const asked = one.asks?.[client] ?? {};
  const own = { model, ...(way === 'stream' ? { stream: true } : {}) };
  if (typeof asked !== 'string') return requestOf(client, CLIENTS[client].body({ ...asked, ...own }));
  const { path } = requestOf(client, own);
  if (client === 'gemini') return { path, body: asked };
  const usage = client === 'chat' ? '"stream_options":{"include_usage":true},' : '';
  const text = asked.replaceAll('MODEL', model);
  return { path, body: way === 'stream' ? text.replace('{', `{"stream":true,${usage}`) : text };
}

function checkRequest({ case: one, upstream }: CaseOfPair, json: Answer, body: string): void {
  compare(json, one.sends?.[upstream]);
  for (const slice of one.sendsText?.[upstream] ?? []) expect(body).toContain(slice);
  for (const slice of one.withholds ?? []) expect(body).not.toContain(slice);
  UPSTREAMS[upstream].check(json);
}

function compare(value: Answer, expected: Expected | undefined): void {
  if (!expected) return;
  const actual = valuesAt(value, expected);
  const filled = Object.fromEntries(Object.entries(expected).map(([path, one]) => [path, filledIn(one, actual[path])]));
  expect(actual).toEqual(filled);
}

function checkFault({ case: one, client }: CaseOfPair, text: string): void {
  const { error }: Answer = client === 'gemini' ? googleFault(text) : JSON.parse(text);
  if (one.refused) expect(`${error.param}`, error.message).toBe(one.refused[client] ?? '');
  if (one.code !== undefined) expect(error.code ?? error.type).toBe(one.code);
  if (one.refused && client !== 'messages') expect(error.code).toBe('invalid_request');
  compare(JSON.parse(text), one.shows?.[client]);
  for (const hidden of one.hides ?? []) expect(text).not.toContain(hidden);
}

/** Google's envelope has our code and the field inside the details. */
function googleFault(text: string): Answer {
  const { message, details }: Answer = JSON.parse(text).error;
  const [{ reason: code, metadata }] = details;
  return { error: { message, code, param: metadata.param } };
}

function droppedOf({ case: { dropped = [], loses = [] }, client }: CaseOfPair, way: Way): string[] {
  const settings = Array.isArray(dropped) ? dropped : (dropped[client] ?? []);
  return [...settings, ...(way === 'whole' ? loses : [])];
}

function listOf(response: Response, name: string): string[] {
  return (response.headers.get(name) ?? '').split(',').filter(Boolean).sort();
}

/** Everything that was said has arrived, or what the case says has. */
function checkTold({ case: one, client }: CaseOfPair, told: Told): void {
  const expected: Partial<Told> = { ...(one.reply ? {} : toldOf(one)), ...one.told };
  const { calls, ...rest } = expected;
  for (const [name, value] of Object.entries(rest)) expect(told[name as keyof Told], name).toEqual(value);
  const ids = told.calls.map(({ id }) => id);
  expect(new Set(ids).size, `ids of calls: ${ids}`).toBe(ids.length);
  expect(ids).not.toContain('undefined');
  if (!calls) return;
  const shown = told.calls.map((call) => ({ name: call.name, arguments: call.arguments }));
  const normal = (text: string) =>
    client === 'messages' || client === 'gemini' ? JSON.stringify(JSON.parse(text || '{}')) : text;
  expect(shown.map((call) => ({ ...call, arguments: normal(call.arguments) }))).toEqual(
    calls.map((call) => ({ name: call.name, arguments: normal(call.arguments) })),
  );
}

function toldOf({ says = PLAIN }: Pick<TranslationCase, 'says'>): Partial<Told> {
  const { text = [], reasoning = [], calls = [] }: Said = says;
  return {
    text: text.join(''),
    reasoning: reasoning.join(''),
    calls: calls.map(({ name, arguments: pieces }) => ({ id: '', name, arguments: pieces.join('') || '{}' })),
    ends: endingOf(says),
  };
}
