// How a request gets to an upstream: the client's own dialect if the upstream has it, else a translation. The table
// below is all there is to add for another format.

import type { Endpoint } from '../vendors/endpoints.ts';
import { isForResponses, outputLimitOf } from '../vendors/openai.ts';
import type { Quirks } from '../vendors/quirks.ts';
import { anthropicMessagesClient } from './anthropic-messages/client/adapter.ts';
import { anthropicMessagesUpstream } from './anthropic-messages/upstream/adapter.ts';
import { type Carrier, SameDialectCarrier } from './carrier.ts';
import { type Dialect, passesRequest, passesThrough, type RelayRequest, type ToolPrices } from './dialect.ts';
import { geminiUpstream } from './gemini/adapter.ts';
import { geminiClient } from './gemini/client/adapter.ts';
import { openaiChatClient } from './openai-chat/client/adapter.ts';
import { openaiChatUpstream } from './openai-chat/upstream/adapter.ts';
import { openaiResponsesClient } from './openai-responses/client/adapter.ts';
import { openaiCompaction, summarizing } from './openai-responses/compaction/dialect.ts';
import { openaiResponsesUpstream } from './openai-responses/upstream/adapter.ts';
import type { FieldRules } from './removals/remove-fields.ts';
import type { ClientAdapter, Target, UpstreamAdapter } from './translate/adapters.ts';
import { originOf } from './translate/opaque.ts';
import { conversationOf, translatedCarrier } from './translate/translated-carrier.ts';

const CLIENTS: Partial<Record<Dialect['endpoint'], ClientAdapter>> = {
  chat: openaiChatClient,
  gemini: geminiClient,
  messages: anthropicMessagesClient,
  responses: openaiResponsesClient,
};

/** In the order of preference, for an upstream that has several; models that need Responses are asked there first. */
const UPSTREAMS: readonly (readonly [endpoint: Endpoint, adapter: UpstreamAdapter])[] = [
  ['chat', openaiChatUpstream],
  ['messages', anthropicMessagesUpstream],
  ['responses', openaiResponsesUpstream],
  ['gemini', geminiUpstream],
];

interface Destination {
  channel: { quirks: Quirks };
  /** The endpoints of the upstream for this model. */
  endpoints: readonly Endpoint[];
  /** The model's name there. */
  model: string;
  prefill: boolean;
}

/** Of the model to be asked. If that is free, so are all of its fallbacks. */
export interface Sender extends FieldRules, Pick<Target, 'requestId' | 'hashUser'> {
  /** In seconds. */
  createdAt: number;
  toolPrices?: ToolPrices;
}

/** Whether a request of this dialect can go there at all. */
export function canReach(dialect: Dialect, endpoints: readonly Endpoint[]): boolean {
  return passesThrough(dialect, endpoints) || translationTo(dialect, endpoints) !== undefined;
}

/** Throws a fault that names what cannot be carried. */
export function carry(dialect: Dialect, request: RelayRequest, to: Destination, from: Sender): Carrier {
  const { channel, endpoints, model, prefill } = to;
  const { quirks } = channel;
  if (dialect === openaiCompaction) return carryCompaction(request, to, from);
  if (passesRequest(dialect, request, to, from.toolPrices)) return new SameDialectCarrier(dialect, request, from);
  const found = translationTo(dialect, endpoints, isForResponses(quirks, model) ? 'responses' : undefined);
  if (!found) throw new Error(`no route from ${dialect.endpoint} to ${endpoints.join(', ')}`);
  const { endpoint, ...adapters } = found;
  const { requestId, createdAt, hashUser, serviceTiers } = from;
  const { maxOutputTokens } = request;
  const origin = originOf(endpoint, model);
  const target = { model, quirks, prefill, origin, requestId, maxOutputTokens, hashUser, serviceTiers };
  return translatedCarrier({ dialect, ...adapters, endpoint, request, target, createdAt });
}

/** A vendor that compacts is asked for it; from all others the request asks for a summary, as any response. */
function carryCompaction(request: RelayRequest, to: Destination, from: Sender): Carrier {
  const asked = carry(summarizing, request, to, from);
  if (asked.isTranslated || unboundedOutput(openaiCompaction, to) === undefined) return asked;
  return new SameDialectCarrier(openaiCompaction, request, from, { endpoint: 'compact', plainCarrier: asked });
}

/**
 * The most output of a call that takes no output bound; undefined for other calls. A vendor whose model has an unknown limit is
 * not asked for such a call, because no hold would cover it.
 */
export function unboundedOutput(dialect: Dialect, { channel, model, endpoints }: Destination): number | undefined {
  if (dialect !== openaiCompaction || !channel.quirks.compacts || !passesThrough(dialect, endpoints)) return undefined;
  return outputLimitOf(model);
}

/** Does the part of `carry` that all routes share, if it is a translation: a large request is then carried in two steps. */
export function readAhead(dialect: Dialect, request: RelayRequest, to: Destination): void {
  const client = CLIENTS[dialect.endpoint];
  if (client && !passesRequest(dialect, request, to)) conversationOf({ dialect, client, request });
}

function translationTo(dialect: Dialect, endpoints: readonly Endpoint[], preferred?: Endpoint) {
  const client = CLIENTS[dialect.endpoint];
  const usable = UPSTREAMS.filter(([endpoint]) => endpoints.includes(endpoint));
  const found = usable.find(([endpoint]) => endpoint === preferred) ?? usable[0];
  return client && found ? { client, endpoint: found[0], upstream: found[1] } : undefined;
}
