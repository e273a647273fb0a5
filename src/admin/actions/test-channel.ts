// Sends one small real call to a channel, as its models would. It is not billed to anyone.

import type { Channel } from '../../catalog/catalog.ts';
import type { Document } from '../../catalog/document.ts';
import { readFailure } from '../../channels/refusals/read-failure.ts';
import type { Upstream } from '../../channels/upstream.ts';
import { hostedFields } from '../../dialects/anthropic-messages/hosted-fields.ts';
import { codeOf } from '../../kit/error-code.ts';
import { isObject, tryParseJson } from '../../kit/json/json.ts';
import { claudeHostOf } from '../../vendors/claude-hosts.ts';
import { type Endpoint, endpointsFor, type ModelKind, SERVED_BY } from '../../vendors/endpoints.ts';
import { isForResponses, limitFieldOf } from '../../vendors/openai.ts';
import type { Quirks } from '../../vendors/quirks.ts';
import { record } from './audit-log.ts';
import { readNewest } from './newest.ts';
import { notFound, OperatingRefused } from './refused.ts';
import type { Actor, OperatingTools } from './tools.ts';

interface ChannelTest {
  ok: boolean;
  channel: string;
  /** The model's name at the upstream. */
  model: string;
  endpoint: string;
  ms: number;
  /** Time to the first byte of the response; null without one. */
  firstByteMs: number | null;
  /** `ok`, or the error: status, code and cleaned message. */
  detail: string;
}

const TIMEOUT_MS = 60_000;
/** Far above the size of the expected responses. */
const MAX_BYTES = 1024 * 1024;

/** Includes thinking: some models refuse a limit that leaves no tokens for the answer. */
const MAX_TOKENS = 512;

type Call = readonly [endpoint: Endpoint, body: (model: string, quirks: Quirks) => object];

const MESSAGES = [{ role: 'user', content: 'Say ok.' }];

/** The smallest call of each kind of endpoint; images are left out, because each one costs. */
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
];

/** The tested kinds, the most informative first. */
const TESTED: readonly ModelKind[] = ['chat', 'embeddings'];

/**
 * `model`: a public id or a name at the upstream; by default the first chat model of the channel, or else its first
 * embeddings model. Refused: not_found, no_route, only_images.
 */
export async function testChannel(
  tools: OperatingTools,
  name: string,
  { model, actor }: { model?: string | undefined; actor: Actor },
): Promise<ChannelTest> {
  const { catalog, document } = await readNewest(tools);
  const channel = catalog.channels.get(name);
  if (!channel) throw notFound(`channel ${name}; there are: ${[...catalog.channels.keys()].join(', ')}`);
  const { upstreamModel, call } = findCall(document, channel, model);
  const [endpoint, body] = call;
  const host = endpoint === 'messages' ? claudeHostOf(channel.kind) : undefined;
  const fields = hostedFields({ claudeHost: host && { name: host, betas: undefined } });
  const text = JSON.stringify({ ...body(upstreamModel, channel.quirks), ...fields });
  const sent = { endpoint, model: upstreamModel, body: text };
  const result = { channel: name, model: upstreamModel, endpoint, ...(await send(tools, channel, sent)) };
  await record(tools, actor, 'channels.test', name, { model: upstreamModel, ok: result.ok, ms: result.ms });
  return result;
}

/** Includes channels that are switched off, which is when they are tested. */
function findCall(
  { models }: Document,
  { name, kind: channelKind, endpoints, quirks }: Pick<Channel, 'name' | 'kind' | 'endpoints' | 'quirks'>,
  wanted: string | undefined,
): { upstreamModel: string; call: Call } {
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
    if (!route) continue;
    const served = endpointsFor(channelKind, endpoints, route.model);
    const calls = CALLS.filter(([endpoint]) => SERVED_BY[kind].includes(endpoint) && served.includes(endpoint));
    const preferred = isForResponses(quirks, route.model) ? 'responses' : undefined;
    const call = calls.find(([endpoint]) => endpoint === preferred) ?? calls[0];
    if (call) return { upstreamModel: route.model, call };
  }
  throw new OperatingRefused(
    'only_images',
    `${wanted ?? name} serves only images and is not tested, because each image costs money`,
  );
}

interface Sent {
  endpoint: Endpoint;
  model: string;
  body: string;
}

async function send(tools: OperatingTools, channel: Channel, sent: Sent) {
  const { clock } = tools;
  const upstream = tools.findUpstream(channel);
  const startedAt = clock.monotonic();
  const since = () => Math.round(clock.monotonic() - startedAt);
  const timeout = new AbortController();
  const cancel = clock.after(TIMEOUT_MS, () => timeout.abort());
  let firstByteMs: number | null = null;
  try {
    const response = await upstream.send({ ...sent, stream: false, headers: {}, signal: timeout.signal });
    firstByteMs = since();
    const detail = await readDetail(response, upstream);
    return { ok: detail === OK, ms: since(), firstByteMs, detail };
  } catch (error) {
    const detail = timeout.signal.aborted ? 'no answer in time' : networkFault(error);
    return { ok: false, ms: since(), firstByteMs, detail };
  } finally {
    cancel();
  }
}

const OK = 'ok';

async function readDetail(response: Response, { hidden }: Upstream): Promise<string> {
  const text = await readSome(response);
  if (text === undefined) return 'its answer is too large for a test';
  const { status } = response;
  const answer = tryParseJson(text);
  const isError = status !== 200 || (isObject(answer) && isObject(answer.error));
  // Another service's page, such as a sign-in, also has status 200.
  if (!isError) return isObject(answer) ? OK : 'status 200, but not with a JSON object: check base_url';
  const { message, code } = readFailure(response, text, { hidden });
  return `status ${status}${code ? ` (${code})` : ''}${message ? `: ${message}` : ''}`;
}

/** Undefined if it exceeds the limit. */
async function readSome({ body }: Response): Promise<string | undefined> {
  if (!body) return '';
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  let total = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return text + decoder.decode();
      total += value.byteLength;
      if (total > MAX_BYTES) return undefined;
      text += decoder.decode(value, { stream: true });
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

function networkFault(error: unknown): string {
  const code = codeOf(error);
  return code === undefined ? 'cannot reach it' : `cannot reach it (${code})`;
}
