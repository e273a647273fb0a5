// One upstream for each channel of the catalog, made when first needed and kept while the channel is unchanged and its key
// is taken.

import type { Clock } from '../kit/clock.ts';
import type { NewId } from '../kit/ids.ts';
import type { ChannelKind } from '../vendors/endpoints.ts';
import type { Quirks } from '../vendors/quirks.ts';
import { createAnthropicUpstream } from './anthropic/anthropic-upstream.ts';
import { createDemoUpstream } from './demo/demo-upstream.ts';
import { createGeminiUpstream } from './gemini/gemini-upstream.ts';
import { type Connect, limitConnect } from './limit-connect.ts';
import { createOpenaiUpstream } from './openai/openai-upstream.ts';
import type { Fetch, Upstream } from './upstream.ts';

/** What a channel's entry in the catalog must offer. */
export interface ChannelSettings {
  name: string;
  kind: ChannelKind;
  baseUrl: string;
  anthropicBaseUrl: string | undefined;
  apiKey: string | undefined;
  quirks: Quirks;
  timeouts: { connectMs: number };
}

export interface UpstreamTools {
  clock: Clock;
  newId: NewId;
  fetch: Fetch;
  /** Undefined where calls leave through a proxy: what it can reach, no connection of ours tells. */
  connect: Connect | undefined;
  /** Names this gateway to others, and to itself. */
  gatewayId: string;
  demoPaceMs: number;
  /** From a reference or sealed literal to the secret; undefined if it cannot be had. */
  resolveSecret(secret: string, channel: string): string | undefined;
}

export type FindUpstream = (channel: ChannelSettings) => Upstream;

export interface Upstreams {
  findUpstream: FindUpstream;
  /** The upstream refused our key: its reference may lead to another one by now, and is looked up again. */
  doubtKey(channel: ChannelSettings): void;
}

/** However many calls are refused, a key is not looked up more often. */
const LOOKED_UP_MS = 1_000;

interface Made {
  upstream: Upstream;
  /** By the monotonic clock. */
  at: number;
  isDoubted: boolean;
}

export function createUpstreams(tools: UpstreamTools): Upstreams {
  const made = new WeakMap<ChannelSettings, Made>();
  const isDue = ({ at, isDoubted }: Made) => isDoubted && tools.clock.monotonic() - at >= LOOKED_UP_MS;
  return {
    findUpstream(channel) {
      const known = made.get(channel);
      if (known && !isDue(known)) return known.upstream;
      const upstream = createUpstream(channel, tools);
      made.set(channel, { upstream, at: tools.clock.monotonic(), isDoubted: false });
      return upstream;
    },
    doubtKey(channel) {
      const known = made.get(channel);
      if (known) known.isDoubted = true;
    },
  };
}

function createUpstream(channel: ChannelSettings, tools: UpstreamTools): Upstream {
  const apiKey = channel.apiKey === undefined ? undefined : tools.resolveSecret(channel.apiKey, channel.name);
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
      return besides(openai, createAnthropicUpstream(messages, fetch));
    }
    case 'anthropic':
      return createAnthropicUpstream({ ...settings, takesBetas: true }, fetch);
    case 'gemini':
      return createGeminiUpstream(settings, fetch);
  }
}

/** One upstream with two addresses: messages go to the one that speaks their dialect. */
function besides(openai: Upstream, anthropic: Upstream): Upstream {
  return {
    // The longer ones first: none may hide a part of a later one.
    hidden: [...new Set([...openai.hidden, ...anthropic.hidden])].sort((a, b) => b.length - a.length),
    send: (request) => (request.endpoint === 'messages' ? anthropic : openai).send(request),
  };
}
