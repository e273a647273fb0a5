// What upstreams can be asked for: the endpoints that each kind of channel has, and those that each kind of model needs.

export const ENDPOINTS = ['chat', 'responses', 'embeddings', 'images', 'messages', 'gemini'] as const;
export type Endpoint = (typeof ENDPOINTS)[number];

/** What a channel's upstream speaks. */
export const CHANNEL_KINDS = ['openai', 'anthropic', 'gemini', 'demo'] as const;
export type ChannelKind = (typeof CHANNEL_KINDS)[number];

export const MODEL_KINDS = ['chat', 'embeddings', 'images'] as const;
export type ModelKind = (typeof MODEL_KINDS)[number];

/** All that an upstream of a kind can have; it has all of them unless the document names fewer. */
export const DEFAULT_ENDPOINTS: Record<ChannelKind, readonly Endpoint[]> = {
  openai: ['chat', 'responses', 'embeddings', 'images'],
  anthropic: ['messages'],
  gemini: ['gemini'],
  demo: ['chat', 'messages'],
};

/** What a channel must have to serve models of a kind; chats are translated wherever they must be. */
export const SERVED_BY: Record<ModelKind, readonly Endpoint[]> = {
  chat: ['chat', 'messages', 'responses', 'gemini'],
  embeddings: ['embeddings'],
  images: ['images'],
};

export interface EndpointFields {
  kind: ChannelKind;
  endpoints?: readonly Endpoint[] | undefined;
  base_url?: string | undefined;
  anthropic_base_url?: string | null | undefined;
}

export function endpointsOf(channel: EndpointFields): readonly Endpoint[] {
  const { kind, anthropic_base_url: anthropic } = channel;
  // A stored document may name a second address on another kind, whose upstream knows of none.
  const hasSecondAddress = kind === 'openai' && anthropic;
  const own = kind === 'gemini' ? DEFAULT_ENDPOINTS.gemini : (channel.endpoints ?? endpointsUnnamed(channel));
  return hasSecondAddress ? [...new Set<Endpoint>([...own, 'messages'])] : own;
}

/** Azure has `responses` at one address for all models, and not at that of one. */
const OF_ONE_MODEL = /^[^?#]*\/deployments\//;

function endpointsUnnamed({ kind, base_url: address = '' }: EndpointFields): readonly Endpoint[] {
  const all = DEFAULT_ENDPOINTS[kind];
  return OF_ONE_MODEL.test(address) ? all.filter((endpoint) => endpoint !== 'responses') : all;
}

export function canServe(endpoints: readonly Endpoint[], kind: ModelKind): boolean {
  return endpoints.some((endpoint) => SERVED_BY[kind].includes(endpoint));
}
