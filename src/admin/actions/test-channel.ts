// Sends one small real call to a channel, as its models would. It is not billed to anyone.

import type { Channel } from '../../catalog/catalog.ts';
import type { Document } from '../../catalog/document.ts';
import { hostedFields } from '../../dialects/anthropic-messages/hosted-fields.ts';
import { claudeHostOf } from '../../vendors/claude-hosts.ts';
import { type Endpoint, endpointsFor, type ModelKind, SERVED_BY } from '../../vendors/endpoints.ts';
import { isForResponses, limitFieldOf } from '../../vendors/openai.ts';
import type { Quirks } from '../../vendors/quirks.ts';
import { record } from './audit-log.ts';
import { callChannel } from './call-channel.ts';
import { readNewest } from './newest.ts';
import { notFound, OperatingRefused } from './refused.ts';
import type { Actor, OperatingTools } from './tools.ts';

export type ChannelTest = Awaited<ReturnType<typeof sendTest>>;

/** Far above the size of the expected responses. */
const MAX_BYTES = 1024 * 1024;

/** Includes thinking: some models refuse a limit that leaves no tokens for the answer. */
const MAX_TOKENS = 512;

type Call = readonly [endpoint: Endpoint, body: (model: string, quirks: Quirks) => object];

const MESSAGES = [{ role: 'user', content: 'Say ok.' }];

/** The smallest call of each kind of endpoint; images and audio are left out, because each one costs. */
const CALLS: readonly Call[] = [
  ['chat', (model, quirks) => ({ model, [limitFieldOf(quirks, model)]: MAX_TOKENS, messages: MESSAGES })],
  ['messages', (model) => ({ model, max_tokens: MAX_TOKENS, messages: MESSAGES })],
  [
    'gemini',
    () => ({
      contents: [{ role: 'user', parts: [{ text: 'Say ok.' }] }],
      generationConfig: { maxOutputTokens: MAX_TOKENS },
    }),
  ],
  ['responses', (model) => ({ model, max_output_tokens: MAX_TOKENS, input: 'Say ok.', store: false })],
  ['embeddings', (model) => ({ model, input: 'ok' })],
  ['rerank', (model) => ({ model, query: 'ok', documents: ['ok'] })],
  ['moderation', (model) => ({ model, input: 'ok' })],
];

/** The tested kinds, the most informative first. */
const TESTED: readonly ModelKind[] = ['chat', 'embeddings', 'rerank', 'moderation'];

/**
 * `model`: a public id or a name at the upstream; by default the first chat model of the channel, or else its first
 * model of embeddings, rerank or moderation. Refused: not_found, no_route, only_images.
 */
export async function testChannel(
  tools: OperatingTools,
  name: string,
  { model, actor }: { model?: string | undefined; actor: Actor },
) {
  const { catalog, document } = await readNewest(tools);
  const channel = catalog.channels.get(name);
  if (!channel) throw notFound(`channel ${name}; there are: ${[...catalog.channels.keys()].join(', ')}`);
  const result = await sendTest(tools, channel, findTest(document, channel, model));
  await record(tools, actor, 'channels.test', name, { model: result.model, ok: result.ok, ms: result.ms });
  return result;
}

type TestCall = NonNullable<ReturnType<typeof testOf>>;

/** Sends the call, and records nothing. */
export async function sendTest(
  tools: Pick<OperatingTools, 'clock' | 'findUpstream'>,
  channel: Channel,
  { upstreamModel: model, call: [endpoint, body] }: TestCall,
) {
  const host = endpoint === 'messages' ? claudeHostOf(channel.kind) : undefined;
  const hosted = hostedFields({ claudeHost: host && { name: host, betas: undefined } });
  const text = JSON.stringify({ ...body(model, channel.quirks), ...hosted });
  const sent = { endpoint, model, body: text, stream: false, headers: {} };
  const called = await callChannel(tools, channel, {
    send: (upstream, signal) => upstream.send({ ...sent, signal }),
    read: () => true,
    maxBytes: MAX_BYTES,
  });
  const { ok, ms, firstByteMs } = called;
  return {
    ok,
    channel: channel.name,
    model,
    endpoint,
    ms,
    firstByteMs,
    /** `ok`, or the error: status, code and cleaned message. */
    detail: called.ok ? 'ok' : called.detail,
    /** The meaning of the error; null if the test passed. */
    trouble: called.ok ? null : called.problem,
  };
}

/** Includes channels that are switched off, which is when they are tested. */
function findTest({ models }: Document, channel: Channel, wanted: string | undefined): TestCall {
  const { name } = channel;
  const routes = models
    .flatMap(({ id, kinds, routes }) => routes.map((route) => ({ id, kinds, ...route })))
    .filter(
      ({ channel, id, model }) => channel === name && (wanted === undefined || id === wanted || model === wanted),
    );
  if (routes.length === 0) {
    const what = wanted === undefined ? 'no model has a route' : `${wanted} has no route`;
    throw new OperatingRefused('no_route', `${what} to ${name}: there is nothing to test`);
  }
  for (const kind of TESTED) {
    const route = routes.find(({ kinds }) => kinds.includes(kind));
    const found = route && testOf(channel, route.model, kind);
    if (found) return found;
  }
  throw new OperatingRefused(
    'only_images',
    `${wanted ?? name} serves only images or audio and is not tested, because each one costs money`,
  );
}

/** Undefined if the channel has no endpoint for that kind, or each call would cost an image or audio. */
export function testOf(
  { kind: channelKind, endpoints, quirks }: Pick<Channel, 'kind' | 'endpoints' | 'quirks'>,
  upstreamModel: string,
  kind: ModelKind,
) {
  const served = endpointsFor(channelKind, endpoints, upstreamModel);
  const calls = CALLS.filter(([endpoint]) => SERVED_BY[kind].includes(endpoint) && served.includes(endpoint));
  const preferred = isForResponses(quirks, upstreamModel) ? 'responses' : undefined;
  const call = calls.find(([endpoint]) => endpoint === preferred) ?? calls[0];
  return call && { upstreamModel, call };
}
