// The endpoints that each kind of channel has, and those that each kind of model needs.

export const ENDPOINTS = [
  'chat',
  'responses',
  'embeddings',
  'images',
  'image_edits',
  'image_variations',
  'speech',
  'transcription',
  'audio_translation',
  'rerank',
  'moderation',
  'messages',
  'gemini',
] as const;
export type Endpoint = (typeof ENDPOINTS)[number];
/** Endpoints of a channel. `compact` is part of `responses` at some vendors (`quirks.ts`), so no document names it. */
export type UpstreamEndpoint = Endpoint | 'compact';

/** The protocol of a channel's upstream. */
export const CHANNEL_KINDS = ['openai', 'anthropic', 'gemini', 'bedrock', 'vertex', 'azure', 'demo'] as const;
export type ChannelKind = (typeof CHANNEL_KINDS)[number];

export const MODEL_KINDS = ['chat', 'embeddings', 'images', 'speech', 'transcription', 'rerank', 'moderation'] as const;
export type ModelKind = (typeof MODEL_KINDS)[number];

const IMAGES: readonly Endpoint[] = ['images', 'image_edits', 'image_variations'];
/** Those of the OpenAI format. */
const OPENAI: readonly Endpoint[] = [
  'chat',
  'responses',
  'embeddings',
  ...IMAGES,
  'speech',
  'transcription',
  'audio_translation',
  'rerank',
  'moderation',
];

/** All endpoints of a kind, which the document may restrict. */
const DEFAULT_ENDPOINTS: Record<ChannelKind, readonly Endpoint[]> = {
  openai: OPENAI,
  anthropic: ['messages'],
  gemini: ['gemini'],
  bedrock: ['messages', 'chat'],
  vertex: ['messages', 'gemini', 'chat'],
  azure: [...OPENAI, 'messages'],
  demo: ['chat', 'messages'],
};

/** Platforms that host models of several vendors: a model's name says in which formats it is served there. */
const CLAUDE = /claude/i;
const HOSTED: Partial<Record<ChannelKind, (model: string) => readonly Endpoint[]>> = {
  bedrock: (model) => (CLAUDE.test(model) ? ['messages'] : ['chat']),
  vertex: (model) => (CLAUDE.test(model) ? ['messages'] : /^gemini/i.test(model) ? ['gemini'] : ['chat']),
  azure: (model) => (CLAUDE.test(model) ? ['messages'] : OPENAI),
};

/** The endpoints that can serve a kind of model; chats are translated where necessary. */
export const SERVED_BY: Record<ModelKind, readonly Endpoint[]> = {
  chat: ['chat', 'messages', 'responses', 'gemini'],
  embeddings: ['embeddings'],
  images: IMAGES,
  speech: ['speech'],
  transcription: ['transcription', 'audio_translation'],
  rerank: ['rerank'],
  moderation: ['moderation'],
};

interface EndpointFields {
  kind: ChannelKind;
  endpoints?: readonly Endpoint[] | undefined;
  base_url?: string | undefined;
  anthropic_base_url?: string | null | undefined;
}

export function endpointsOf(channel: EndpointFields): readonly Endpoint[] {
  const { kind, anthropic_base_url: anthropic } = channel;
  // An old document may have a second address on another kind, which ignores it.
  const hasSecondAddress = kind === 'openai' && anthropic;
  const named = kind === 'gemini' ? DEFAULT_ENDPOINTS.gemini : (channel.endpoints ?? endpointsUnnamed(channel));
  return hasSecondAddress ? [...new Set<Endpoint>([...named, 'messages'])] : named;
}

/** Azure serves `responses` at one address for all models, not at a deployment's. */
const DEPLOYMENT = /^[^?#]*\/deployments\//;

function endpointsUnnamed({ kind, base_url: address = '' }: EndpointFields): readonly Endpoint[] {
  const all = DEFAULT_ENDPOINTS[kind];
  return DEPLOYMENT.test(address) ? all.filter((endpoint) => endpoint !== 'responses') : all;
}

/** The endpoints of a channel that serve one of its models. */
export function endpointsFor(kind: ChannelKind, endpoints: readonly Endpoint[], model: string): readonly Endpoint[] {
  const hosted = HOSTED[kind]?.(model);
  const named = hosted ? endpoints.filter((endpoint) => hosted.includes(endpoint)) : endpoints;
  // Names chosen by their owner, such as ARNs of profiles, do not show the format: then the document's `endpoints` count.
  return named.length > 0 ? named : endpoints;
}

export function canServe(endpoints: readonly Endpoint[], kind: ModelKind): boolean {
  return endpoints.some((endpoint) => SERVED_BY[kind].includes(endpoint));
}
