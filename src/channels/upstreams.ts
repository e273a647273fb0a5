// One upstream per channel of the catalog, created on first use and kept while the channel is unchanged and its key is
// accepted.

import type { Clock } from '../kit/clock.ts';
import type { NewId } from '../kit/ids.ts';
import type { ChannelKind } from '../vendors/endpoints.ts';
import type { Quirks } from '../vendors/quirks.ts';
import { createAzureUpstream } from './azure-upstream.ts';
import { createBedrockUpstream } from './bedrock-upstream.ts';
import { createDemoUpstream } from './demo/demo-upstream.ts';
import { createAnthropicUpstream, createGeminiUpstream, createOpenaiUpstream } from './http-upstreams.ts';
import { type Connect, limitConnect } from './limit-connect.ts';
import type { Fetch, Upstream } from './upstream.ts';
import { createVertexUpstream } from './vertex-upstream.ts';

/** The required fields of a channel. */
export interface ChannelSettings {
  name: string;
  kind: ChannelKind;
  baseUrl: string;
  anthropicBaseUrl: string | undefined;
  apiKey: string | undefined;
  /** The AWS region of a channel of kind bedrock. */
  region: string | undefined;
  quirks: Quirks;
  timeouts: { connectMs: number };
}

interface UpstreamTools {
  clock: Clock;
  newId: NewId;
  fetch: Fetch;
  /** Undefined behind a proxy: a direct connection does not show what it can reach. */
  connect: Connect | undefined;
  /** Identifies this gateway, also to itself. */
  gatewayId: string;
  demoPaceMs: number;
  /** Resolves a reference or sealed literal; undefined if that fails. */
  resolveSecret(secret: string, channel: string): string | undefined;
}

export type FindUpstream = Upstreams['findUpstream'];

export type Upstreams = ReturnType<typeof createUpstreams>;

/** The shortest time between two lookups of a key. */
const LOOKUP_INTERVAL_MS = 1_000;

interface Made {
  upstream: Upstream;
  apiKey: string | undefined;
  /** Monotonic time. */
  at: number;
  isKeyInvalid: boolean;
}

export function createUpstreams(tools: UpstreamTools) {
  const made = new WeakMap<ChannelSettings, Made>();
  const isDue = ({ at, isKeyInvalid }: Made) => isKeyInvalid && tools.clock.monotonic() - at >= LOOKUP_INTERVAL_MS;
  const find = (channel: ChannelSettings): Made => {
    const known = made.get(channel);
    if (known && !isDue(known)) return known;
    const apiKey = channel.apiKey === undefined ? undefined : tools.resolveSecret(channel.apiKey, channel.name);
    const upstream = createUpstream(channel, apiKey, tools);
    const found = { upstream, apiKey, at: tools.clock.monotonic(), isKeyInvalid: false };
    made.set(channel, found);
    return found;
  };
  return {
    findUpstream: (channel: ChannelSettings) => find(channel).upstream,
    /** Whether both channels lead to one account of one vendor: same kind, address and key, however the key is stored. */
    isSameAccount(one: ChannelSettings, other: ChannelSettings): boolean {
      if (one === other) return true;
      if (one.kind !== other.kind || one.baseUrl !== other.baseUrl) return false;
      const { apiKey } = find(one);
      return apiKey !== undefined && apiKey === find(other).apiKey;
    },
    /** The upstream refused our key: its reference is resolved again, as it may lead to another key by now. */
    invalidateKey(channel: ChannelSettings): void {
      const known = made.get(channel);
      if (known) known.isKeyInvalid = true;
    },
  };
}

function createUpstream(channel: ChannelSettings, apiKey: string | undefined, tools: UpstreamTools): Upstream {
  const { connectMs } = channel.timeouts;
  const { clock, connect, gatewayId } = tools;
  const fetch = connect ? limitConnect(tools.fetch, { clock, connect, connectMs }) : tools.fetch;
  const settings = { baseUrl: channel.baseUrl, apiKey, gatewayId };
  switch (channel.kind) {
    case 'demo':
      return createDemoUpstream({ clock: tools.clock, newId: tools.newId, paceMs: tools.demoPaceMs });
    case 'openai': {
      const openai = createOpenaiUpstream({ ...settings, quirks: channel.quirks }, fetch);
      if (channel.anthropicBaseUrl === undefined) return openai;
      const messages = { ...settings, baseUrl: channel.anthropicBaseUrl, takesBetas: false };
      return withMessagesAddress(openai, createAnthropicUpstream(messages, fetch));
    }
    case 'anthropic':
      return createAnthropicUpstream({ ...settings, takesBetas: true }, fetch);
    case 'gemini':
      return createGeminiUpstream(settings, fetch);
    case 'bedrock':
      return createBedrockUpstream({ ...settings, region: channel.region ?? '', now: clock.now }, fetch);
    case 'vertex':
      return createVertexUpstream({ ...settings, clock }, fetch);
    case 'azure':
      return createAzureUpstream({ ...settings, quirks: channel.quirks, clock }, fetch);
  }
}

/** One upstream with two addresses: messages go to the one with their dialect. */
function withMessagesAddress(openai: Upstream, anthropic: Upstream): Upstream {
  return {
    // Longest first: none may be part of a later one.
    hidden: [...new Set([...openai.hidden, ...anthropic.hidden])].sort((a, b) => b.length - a.length),
    listModels: (signal) => openai.listModels(signal),
    ...(openai.readAt && { readAt: openai.readAt }),
    send: (request) => (request.endpoint === 'messages' ? anthropic : openai).send(request),
  };
}
